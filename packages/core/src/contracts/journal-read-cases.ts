/** Cases for reads of rows: byte order in both directions, cursors that jump, and snapshots of one committed state. */
import { compareBytes } from '../bytes/bytes.ts'
import type { Journal, Row, RowChange, RowCursor, RowRange, RowReader } from '../ports/index.ts'
import { assert, assertBytesList, assertEqual } from './assert.ts'
import { contractCase } from './contract.ts'
import { bytesOf, pattern } from './material.ts'

const everything = { gte: bytesOf(), lt: bytesOf(0xff, 0xff, 0xff) }

export const journalReadCases = [
  contractCase<Journal>('getMany answers in the order of the question', async ({ now: journal }) => {
    await commitRows(journal, [1, 2, 3])
    assertEqual((await journal.getMany([])).length, 0, 'no keys, no answers')
    const values = await journal.getMany([bytesOf(3), bytesOf(9), bytesOf(1), bytesOf(3)])
    assertBytesList(values, [bytesOf(3), undefined, bytesOf(1), bytesOf(3)], 'values')
    const many = Array.from({ length: 300 }, (_, i) => i)
    await commitRows(journal, many.map((i) => i % 256).slice(0, 200))
    const answers = await journal.getMany(many.map((i) => bytesOf(i % 256)))
    assertBytesList(
      answers,
      many.map((i) => (i % 256 < 200 ? bytesOf(i % 256) : undefined)),
      'many values',
    )
  }),

  contractCase<Journal>('orders rows byte by byte, both ways', async ({ now: journal }) => {
    const sorted = [[], [0], [0, 0], [0, 1], [1], [1, 0xff], [2], [0x7f], [0x80], [0xff], [0xff, 0], [0xff, 0xff]]
    const keys = sorted.map((key) => bytesOf(...key))
    const shuffled = [...keys].sort((a, b) => a.length - b.length || compareBytes(b, a))
    await journal.commit({ expectedHead: 0, events: [], rows: shuffled.map((key) => ({ key, value: key })) })
    for (const reverse of [false, true]) {
      const rows = await drain(journal.cursor({ ...everything, reverse }))
      const expected = reverse ? [...keys].reverse() : keys
      assertBytesList(
        rows.map(([key]) => key),
        expected,
        `keys, reverse: ${reverse}`,
      )
      assertBytesList(
        rows.map(([, value]) => value),
        expected,
        `values, reverse: ${reverse}`,
      )
    }
  }),

  contractCase<Journal>('keeps ranges half-open, both ways', async ({ now: journal }) => {
    await commitRows(journal, [1, 2, 3, 4, 5])
    assertEqual(await walk(journal, 2, 4), '2 3', 'forwards')
    assertEqual(await walk(journal, 2, 4, true), '3 2', 'backwards')
    assertEqual(await walk(journal, 0, 9, true), '5 4 3 2 1', 'bounds that are no rows')
    for (const [gte, lt] of [
      [3, 3],
      [4, 2],
      [6, 9],
    ] as const) {
      for (const reverse of [false, true]) assertEqual(await walk(journal, gte, lt, reverse), '', `${gte} to ${lt}`)
    }
  }),

  contractCase<Journal>('gives at most the requested rows, and none only at the end', async ({ now: journal }) => {
    await commitRows(journal, [1, 2, 3, 4, 5, 6, 7])
    const cursor = journal.cursor(everything)
    let seen = 0
    for (let count = 1; ; count = (count % 3) + 1) {
      const rows = await cursor.next(count)
      assert(rows.length <= count, `at most ${count} rows, got ${rows.length}`)
      if (rows.length === 0) break
      seen += rows.length
    }
    assertEqual(seen, 7, 'rows seen')
    assertEqual((await cursor.next(5)).length, 0, 'rows after the end')
    await cursor.close()
    await cursor.close()
  }),

  contractCase<Journal>('walks more rows than fit one read', async ({ now: journal }) => {
    const keys = Array.from({ length: 60 }, (_, i) => i)
    const rows = keys.map((i) => ({ key: bytesOf(i), value: pattern(64 * 1024, i) }))
    await journal.commit({ expectedHead: 0, events: [], rows })
    for (const reverse of [false, true]) {
      const seen = await drain(journal.cursor({ ...everything, reverse }), 1000)
      const expected = reverse ? [...rows].reverse() : rows
      assertBytesList(
        seen.map(([, value]) => value),
        expected.map(({ value }) => value),
        'values',
      )
    }
  }),

  contractCase<Journal>('seeks on to the first row at or after a key', async ({ now: journal }) => {
    await commitRows(journal, [10, 20, 30, 40, 50, 60])
    await seeks(journal, { gte: bytesOf(20), lt: bytesOf(60) }, [
      {
        why: 'onto rows',
        jumps: [
          [30, '30'],
          [50, '50'],
        ],
      },
      {
        why: 'between rows',
        jumps: [
          [21, '30'],
          [41, '50'],
        ],
      },
      { why: 'past the last row', jumps: [[55, '']] },
      { why: 'onto the end of the range, though there is a row', jumps: [[60, '']] },
      { why: 'past the range', jumps: [[200, '']] },
      { why: 'before the first read', read: 0, jumps: [[35, '40']] },
      { why: 'onto the start', read: 0, jumps: [[20, '20']] },
      { why: 'before the range, though there is a row', read: 0, jumps: [[10, '20']] },
    ])
  }),

  contractCase<Journal>('gives the first row of each group, and each row of none', async ({ now: journal }) => {
    const names = ['a', 'b/', 'b/1', 'b/2', 'c', 'c//', 'c/1/2', 'c0', 'd/1', 'd/2', 'd/3', 'e//f', 'e/f/', 'f']
    const texts = (text: string): Uint8Array => Uint8Array.from(`p/${text}`, (character) => character.charCodeAt(0))
    const rows = names.map((name) => ({ key: texts(name), value: bytesOf(1) }))
    await journal.commit({ expectedHead: 0, events: [], rows })
    for (const count of [1, 2, 3, 100]) {
      const groups = { from: 2, by: Uint8Array.of(0x2f) }
      const cursor = journal.cursor({ gte: texts(''), lt: texts('~'), groups })
      const seen: string[] = []
      for (let page = await cursor.next(count); page.length > 0; page = await cursor.next(count)) {
        for (const [key] of page) {
          const [group = '', ...rest] = String.fromCharCode(...key.subarray(2)).split('/')
          const found = rest.length === 0 ? group : `${group}/`
          if (seen.at(-1) !== found) seen.push(found)
        }
        // Behind the last group or key, as listings do.
        cursor.seek(texts(`${seen.at(-1)?.replace('/', '0')}${seen.at(-1)?.endsWith('/') ? '' : '\0'}`))
      }
      await cursor.close()
      assertEqual(seen.join(' '), 'a b/ c c/ c0 d/ e/ f', `groups, ${count} rows at a time`)
    }
  }),

  contractCase<Journal>('seeks on to the first row at or before a key, walking backwards', async ({ now: journal }) => {
    await commitRows(journal, [10, 20, 30, 40, 50, 60])
    await seeks(journal, { gte: bytesOf(20), lt: bytesOf(60), reverse: true }, [
      {
        why: 'onto rows',
        jumps: [
          [40, '40'],
          [20, '20'],
        ],
      },
      {
        why: 'between rows',
        jumps: [
          [45, '40'],
          [29, '20'],
        ],
      },
      { why: 'onto the last row', jumps: [[20, '20']] },
      { why: 'past the range, though there is a row', jumps: [[10, '']] },
      { why: 'past all rows', jumps: [[5, '']] },
      { why: 'before the first read', read: 0, jumps: [[35, '30']] },
      { why: 'onto the bound, though there is a row', read: 0, jumps: [[60, '50']] },
      { why: 'before the range', read: 0, jumps: [[200, '50']] },
    ])
  }),

  contractCase<Journal>('seeks where there are no rows at all', async ({ now: journal }) => {
    for (const reverse of [false, true]) {
      await seeks(journal, { gte: bytesOf(20), lt: bytesOf(60), reverse }, [
        { why: 'within the range', read: 0, jumps: [[30, '']] },
        { why: 'before it', read: 0, jumps: [[10, '']] },
        { why: 'past it, after a read', jumps: [[60, '']] },
      ])
    }
  }),

  contractCase<Journal>('walks the state a cursor was opened on while commits go on', async ({ now: journal }) => {
    await commitRows(journal, [1, 3, 5])
    for (const reverse of [false, true]) {
      const cursor = journal.cursor({ ...everything, reverse })
      const first = await cursor.next(1)
      await journal.commit({
        expectedHead: await journal.head(),
        events: [],
        rows: [put(0, 0), put(2, 2), put(3, 99), { key: bytesOf(5), value: null }, { key: bytesOf(1), value: null }],
      })
      const rows = [...first, ...(await drain(cursor))]
      assertEqual(names(rows), reverse ? '5 3 1' : '1 3 5', `rows, reverse: ${reverse}`)
      assertEqual(rows[1]?.[1][0], 3, 'a value as it was')
      await journal.commit({
        expectedHead: await journal.head(),
        events: [],
        rows: [put(1, 1), put(3, 3), put(5, 5), { key: bytesOf(0), value: null }, { key: bytesOf(2), value: null }],
      })
    }
  }),

  contractCase<Journal>('pins one commit in a snapshot', async ({ now: journal }) => {
    await commitRows(journal, [1, 2])
    const snapshot = await journal.snapshot()
    const rows = [put(1, 77), { key: bytesOf(2), value: null }, put(3, 3)]
    await journal.commit({ expectedHead: 0, events: [bytesOf(1)], rows })
    const later = await journal.snapshot()
    const keys = [bytesOf(1), bytesOf(2), bytesOf(3)]
    const before = [bytesOf(1), bytesOf(2), undefined]
    const after = [bytesOf(77), undefined, bytesOf(3)]
    for (const [reader, expected] of [
      [snapshot, before],
      [later, after],
      [journal, after],
    ] as const) {
      assertBytesList(await reader.getMany(keys), expected, 'getMany')
      assertBytesList(await Promise.all(keys.map(async (key) => reader.get(key))), expected, 'get')
      const walked = await drain(reader.cursor(everything))
      assertBytesList(
        walked.map(([, value]) => value),
        expected.filter((value) => value !== undefined),
        'cursor',
      )
    }
    await Promise.all([snapshot.close(), later.close()])
    await snapshot.close()
    assertBytesList(await journal.getMany(keys), after, 'after the snapshots were closed')
  }),
]

const put = (key: number, value: number): RowChange => ({ key: bytesOf(key), value: bytesOf(value) })

const names = (rows: readonly Row[]): string => rows.map(([key]) => key[0]).join(' ')

async function commitRows(journal: Journal, keys: readonly number[]): Promise<void> {
  await journal.commit({ expectedHead: await journal.head(), events: [], rows: keys.map((key) => put(key, key)) })
}

async function drain(cursor: RowCursor, count = 4): Promise<Row[]> {
  const rows: Row[] = []
  for (;;) {
    const more = await cursor.next(count)
    if (more.length === 0) break
    rows.push(...more)
  }
  await cursor.close()
  return rows
}

async function walk(reader: RowReader, gte: number, lt: number, reverse = false): Promise<string> {
  return names(await drain(reader.cursor({ gte: bytesOf(gte), lt: bytesOf(lt), reverse })))
}

interface Seek {
  readonly why: string
  /** The number of rows read before the first jump. @default 1 */
  readonly read?: number
  /** The jumps of one cursor: the target of each, and the row that follows it. */
  readonly jumps: readonly (readonly [to: number, sees: string])[]
}

async function seeks(journal: Journal, range: RowRange, cases: readonly Seek[]): Promise<void> {
  for (const { why, read = 1, jumps } of cases) {
    const cursor = journal.cursor(range)
    if (read > 0) await cursor.next(read)
    for (const [to, sees] of jumps) {
      cursor.seek(bytesOf(to))
      assertEqual(names(await cursor.next(1)), sees, `seek ${why}, to ${to}`)
    }
    await cursor.close()
  }
}

/** Cases for commits: numbered without a gap, all or nothing, and one successful commit per head. */
import { isStorageError } from '../base/errors.ts'
import type { Journal, RowChange, StoredEvent } from '../ports/index.ts'
import { assert, assertBytes, assertBytesList, assertCode, assertEqual } from './assert.ts'
import { contractCase } from './contract.ts'
import { bytesOf, pattern } from './material.ts'

const everything = { gte: bytesOf(), lt: bytesOf(0xff, 0xff, 0xff, 0xff) }

export const journalCommitCases = [
  contractCase<Journal>('starts empty', async ({ now: journal }) => {
    assertEqual(await journal.head(), 0, 'head')
    assertEqual((await allEvents(journal)).length, 0, 'events')
    assertBytes(await journal.get(bytesOf(1)), undefined, 'a row')
    assertEqual((await journal.cursor(everything).next(10)).length, 0, 'rows')
  }),

  contractCase<Journal>('numbers events from 1 without a gap and keeps every byte', async ({ now: journal }) => {
    const events = [bytesOf(), bytesOf(0), bytesOf(0xff, 0, 0x80), pattern(300), pattern(70_000, 2)]
    await journal.commit({ expectedHead: 0, events: events.slice(0, 2), rows: [] })
    assertEqual(await journal.head(), 2, 'head after the first commit')
    await journal.commit({ expectedHead: 2, events: events.slice(2), rows: [] })
    assertEqual(await journal.head(), 5, 'head after the second commit')
    assertEvents(await allEvents(journal), events, 1)
  }),

  contractCase<Journal>('shows the rows of a commit together with its events', async ({ now: journal }) => {
    const [a, b] = [bytesOf(1), bytesOf(2)]
    await journal.commit({ expectedHead: 0, events: [bytesOf(1)], rows: [put(a, 10), put(b, 20)] })
    assertBytesList(await journal.getMany([a, b]), [bytesOf(10), bytesOf(20)], 'rows put')
    await journal.commit({ expectedHead: 1, events: [bytesOf(2)], rows: [remove(a), put(b, 21)] })
    assertBytesList(await journal.getMany([a, b]), [undefined, bytesOf(21)], 'rows removed and replaced')
    await journal.commit({ expectedHead: 2, events: [], rows: [put(a, 12), remove(bytesOf(99))] })
    assertEqual(await journal.head(), 2, 'head after a commit without events')
    assertBytes(await journal.get(a), bytesOf(12), 'a row put again')
  }),

  contractCase<Journal>('accepts a commit of nothing', async ({ now: journal }) => {
    await journal.commit({ expectedHead: 0, events: [], rows: [] })
    assertEqual(await journal.head(), 0, 'head')
    await assertCode('JournalConflict', () => journal.commit({ expectedHead: 1, events: [], rows: [] }), 'wrong head')
  }),

  contractCase<Journal>('lets the last change of a row win within a commit', async ({ now: journal }) => {
    const [a, b] = [bytesOf(1), bytesOf(2)]
    await journal.commit({ expectedHead: 0, events: [], rows: [put(a, 1), put(a, 2), put(b, 1), remove(b)] })
    assertBytesList(await journal.getMany([a, b]), [bytesOf(2), undefined], 'rows')
  }),

  contractCase<Journal>(
    'refuses a commit against any other head and applies nothing of it',
    async ({ now: journal }) => {
      await journal.commit({ expectedHead: 0, events: [bytesOf(1), bytesOf(2)], rows: [put(bytesOf(1), 1)] })
      for (const expectedHead of [0, 1, 3, 1000]) {
        const commit = { expectedHead, events: [bytesOf(9)], rows: [put(bytesOf(1), 9), put(bytesOf(2), 9)] }
        await assertCode('JournalConflict', () => journal.commit(commit), `expected head ${expectedHead}`)
      }
      assertEqual(await journal.head(), 2, 'head')
      assertEvents(await allEvents(journal), [bytesOf(1), bytesOf(2)], 1)
      assertBytesList(await journal.getMany([bytesOf(1), bytesOf(2)]), [bytesOf(1), undefined], 'rows')
      await journal.commit({ expectedHead: 2, events: [bytesOf(3)], rows: [] })
      assertEqual(await journal.head(), 3, 'head after a conflict was mended')
    },
  ),

  contractCase<Journal>('gives exactly one winner among concurrent commits', async ({ now: journal }) => {
    for (let head = 0; head < 5; head++) {
      const rivals = Array.from({ length: 8 }, (_, i) => i)
      const outcomes = await Promise.allSettled(
        rivals.map((i) => journal.commit({ expectedHead: head, events: [bytesOf(i)], rows: [put(bytesOf(i), head)] })),
      )
      const winners = rivals.filter((i) => outcomes[i]?.status === 'fulfilled')
      assertEqual(winners.length, 1, 'winners')
      for (const outcome of outcomes) {
        if (outcome.status === 'fulfilled') continue
        assert(isStorageError(outcome.reason, 'JournalConflict'), `a loser gets JournalConflict, not ${outcome.reason}`)
      }
      assertEqual(await journal.head(), head + 1, 'head')
      const winner = winners[0] as number
      assertEvents(await allEvents(journal, head + 1), [bytesOf(winner)], head + 1)
      const rows = await journal.getMany(rivals.map((i) => bytesOf(i)))
      for (const i of rivals) assertEqual(rows[i]?.[0] === head, i === winner, `row of rival ${i} is there`)
    }
  }),

  contractCase<Journal>('owns the bytes of a commit once it resolved', async ({ now: journal }) => {
    const [event, key, value] = [pattern(100), pattern(10), pattern(50)]
    await journal.commit({ expectedHead: 0, events: [event], rows: [{ key, value }] })
    for (const bytes of [event, key, value]) bytes.fill(0)
    assertEvents(await allEvents(journal), [pattern(100)], 1)
    assertBytes(await journal.get(pattern(10)), pattern(50), 'row')
  }),

  contractCase<Journal>('carries empty and large payloads', async ({ now: journal }) => {
    const large = pattern(5 * 1024 * 1024)
    const rows = Array.from({ length: 3000 }, (_, i) => put(bytesOf(3, i >> 8, i & 255), i & 255))
    rows.push({ key: bytesOf(1), value: large }, { key: bytesOf(2), value: bytesOf() })
    await journal.commit({ expectedHead: 0, events: [large, bytesOf()], rows })
    assertEvents(await allEvents(journal), [large, bytesOf()], 1)
    assertBytesList(await journal.getMany([bytesOf(1), bytesOf(2)]), [large, bytesOf()], 'rows')
    assertBytes(await journal.get(bytesOf(3, 2999 >> 8, 2999 & 255)), bytesOf(2999 & 255), 'the last of many rows')
  }),

  contractCase<Journal>('reads events from one position to another, both included', async ({ now: journal }) => {
    const events = Array.from({ length: 10 }, (_, i) => bytesOf(i + 1))
    await journal.commit({ expectedHead: 0, events, rows: [put(bytesOf(0, 0), 1), put(bytesOf(), 2)] })
    const read = async (from?: number, to?: number) =>
      (await allEvents(journal, from, to)).map(({ seq }) => seq).join(' ')
    assertEqual(await read(), '1 2 3 4 5 6 7 8 9 10', 'all')
    assertEqual(await read(4), '4 5 6 7 8 9 10', 'from')
    assertEqual(await read(undefined, 3), '1 2 3', 'to')
    assertEqual(await read(3, 5), '3 4 5', 'from and to')
    assertEqual(await read(7, 7), '7', 'one')
    assertEqual(await read(0, 2), '1 2', 'from before the first')
    assertEqual(await read(9, 1000), '9 10', 'to after the last')
    assertEqual(await read(11), '', 'from after the last')
    assertEqual(await read(5, 4), '', 'from after to')
  }),

  contractCase<Journal>('has the same events in its pages, if it has pages', async ({ now: journal }) => {
    const events = Array.from({ length: 2500 }, (_, i) => bytesOf(i >> 8, i & 255))
    await journal.commit({ expectedHead: 0, events, rows: [] })
    for (const [from, to] of [
      [1, 2500],
      [999, 2001],
      [2501, 2600],
    ] as const) {
      const paged: StoredEvent[] = []
      for await (const page of journal.events({ from, to }).pages?.() ?? []) paged.push(...page)
      if (journal.events().pages !== undefined) assertEvents(paged, events.slice(from - 1, to), from)
    }
  }),

  contractCase<Journal>(
    'reads a long log in order, and a prefix of it while commits go on',
    async ({ now: journal }) => {
      const events = Array.from({ length: 2500 }, (_, i) => bytesOf(i >> 8, i & 255))
      await journal.commit({ expectedHead: 0, events, rows: [] })
      let seen = 0
      for await (const { seq, bytes } of journal.events()) {
        assertEqual(seq, ++seen, 'position')
        if (seq <= 2500) assertBytes(bytes, events[seq - 1], `event ${seq}`)
        if (seq % 500 === 0 && seq <= 2500) {
          await journal.commit({ expectedHead: await journal.head(), events: [bytesOf(1)], rows: [] })
        }
      }
      assert(seen >= 2500, `a reader sees what was there when it began: 2500, saw ${seen}`)
      assertEqual(await journal.head(), 2505, 'head')
      for await (const { seq } of journal.events()) if (seq === 3) break
    },
  ),
]

const put = (key: Uint8Array, value: number): RowChange => ({ key, value: bytesOf(value) })
const remove = (key: Uint8Array): RowChange => ({ key, value: null })

async function allEvents(journal: Journal, from?: number, to?: number): Promise<StoredEvent[]> {
  const events: StoredEvent[] = []
  const range = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
  for await (const event of journal.events(range)) events.push(event)
  return events
}

function assertEvents(actual: readonly StoredEvent[], expected: readonly Uint8Array[], first: number): void {
  assertEqual(actual.map(({ seq }) => seq).join(' '), expected.map((_, i) => first + i).join(' '), 'positions')
  assertBytesList(
    actual.map(({ bytes }) => bytes),
    expected,
    'events',
  )
}

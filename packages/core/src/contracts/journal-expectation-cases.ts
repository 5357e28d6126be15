/** Cases for commits that name the rows that they expect, and for rows outside the log. */
import { isStorageError } from '../base/errors.ts'
import type { Commit, Journal, RowChange } from '../ports/index.ts'
import { assert, assertBytes, assertBytesList, assertCode, assertEqual, failureOf } from './assert.ts'
import { contractCase } from './contract.ts'
import { bytesOf, pattern } from './material.ts'

const [a, b, c] = [bytesOf(1), bytesOf(2), bytesOf(3)]

export const journalExpectationCases = [
  contractCase<Journal>('commits rows without a named head, wherever the log ends', async ({ now: journal }) => {
    for (let head = 0; head < 3; head++) {
      await journal.commit({ events: [], rows: [put(a, head)] })
      assertBytes(await journal.get(a), bytesOf(head), 'the row')
      await journal.commit({ expectedHead: head, events: [bytesOf(head)], rows: [] })
    }
    assertEqual(await journal.head(), 3, 'head')
  }),

  contractCase<Journal>('commits when every expected row has the expected bytes', async ({ now: journal }) => {
    const long = pattern(5000)
    await journal.commit({ expectedHead: 0, events: [bytesOf(1)], rows: [put(a, 1), { key: b, value: long }] })
    const expectedRows = [put(a, 1), { key: b, value: long }, remove(c)]
    await journal.commit({ expectedRows, events: [], rows: [put(c, 3), remove(b)] })
    assertBytesList(await journal.getMany([a, b, c]), [bytesOf(1), undefined, bytesOf(3)], 'rows')
    await journal.commit({ expectedHead: 1, expectedRows: [put(c, 3)], events: [bytesOf(2)], rows: [remove(c)] })
    assertEqual(await journal.head(), 2, 'head')
    await journal.commit({ expectedRows: [remove(c), remove(b)], events: [], rows: [put(c, 4)] })
    assertBytes(await journal.get(c), bytesOf(4), 'a row that was absent')
  }),

  contractCase<Journal>('refuses a commit when one expected row differs, and applies nothing', async (subject) => {
    await subject.now.commit({
      expectedHead: 0,
      events: [bytesOf(1)],
      rows: [put(a, 1), { key: b, value: pattern(5000) }],
    })
    const differing: readonly (readonly [why: string, expected: RowChange])[] = [
      ['other bytes', put(a, 2)],
      ['fewer bytes', { key: a, value: bytesOf() }],
      ['more bytes', { key: a, value: bytesOf(1, 0) }],
      ['other long bytes', { key: b, value: pattern(5000, 2) }],
      ['absent, but expected', put(c, 3)],
      ['absent, but expected to be empty', { key: c, value: bytesOf() }],
      ['present, but expected to be absent', remove(a)],
    ]
    const refused = async (journal: Journal, when: string) => {
      for (const [why, expected] of differing) {
        for (const outsideLog of [false, true]) {
          const rows = [put(a, 9), put(c, 9), remove(b)]
          const commit: Commit = { expectedRows: [put(a, 1), expected], events: [], rows, outsideLog }
          const failure = await failureOf(() => journal.commit(commit))
          assert(isStorageError(failure?.error, 'JournalConflict'), `${why}, ${when}: ${String(failure?.error)}`)
        }
        const commit = { expectedHead: 1, expectedRows: [expected], events: [bytesOf(2)], rows: [put(a, 9)] }
        await assertCode('JournalConflict', () => journal.commit(commit), `${why}, with a head, ${when}`)
      }
      assertEqual(await journal.head(), 1, 'head')
      assertBytesList(await journal.getMany([a, b, c]), [bytesOf(1), pattern(5000), undefined], 'rows')
    }
    await refused(subject.now, 'at once')
    await refused(await subject.reopen(), 'after a reopen')
    await subject.now.commit({ expectedHead: 1, expectedRows: [put(a, 1)], events: [bytesOf(2)], rows: [] })
    assertEqual(await subject.now.head(), 2, 'head after a commit that fits')
  }),

  contractCase<Journal>('names in a conflict what differs', async ({ now: journal }) => {
    const head = await failureOf(() => journal.commit({ expectedHead: 7, events: [], rows: [] }))
    assertEqual(detailsOf(head?.error), '{"expected":7,"head":0}', 'details of another head')
    const row = await failureOf(() => journal.commit({ expectedRows: [remove(b), put(a, 1)], events: [], rows: [] }))
    assertEqual(detailsOf(row?.error), '{"key":"01"}', 'details of another row')
  }),

  contractCase<Journal>('compares the head as well as the rows when both are named', async ({ now: journal }) => {
    await journal.commit({ expectedHead: 0, events: [bytesOf(1)], rows: [put(a, 1)] })
    const commit = { expectedHead: 0, expectedRows: [put(a, 1)], events: [], rows: [put(a, 2)] }
    await assertCode('JournalConflict', () => journal.commit(commit), 'an old head')
    assertBytes(await journal.get(a), bytesOf(1), 'the row')
  }),

  contractCase<Journal>('gives exactly one winner among rivals that expect the same row', async ({ now: journal }) => {
    for (const outsideLog of [false, true]) {
      // Rows outside the log have keys of their own.
      const key = bytesOf(outsideLog ? 8 : 7)
      let expected = remove(key)
      for (let round = 1; round <= 4; round++) {
        const rivals = Array.from({ length: 8 }, (_, i) => i)
        const ownOf = (i: number) => bytesOf(...key, round, i)
        const outcomes = await Promise.allSettled(
          rivals.map((i) => {
            const rows = [put(key, 16 * round + i), put(ownOf(i), i)]
            return journal.commit({ expectedRows: [expected], events: [], rows, outsideLog })
          }),
        )
        const winners = rivals.filter((i) => outcomes[i]?.status === 'fulfilled')
        assertEqual(winners.length, 1, `winners of round ${round}`)
        for (const each of outcomes) {
          if (each.status === 'fulfilled') continue
          assert(isStorageError(each.reason, 'JournalConflict'), `a loser gets JournalConflict, not ${each.reason}`)
        }
        const winner = winners[0] as number
        expected = put(key, 16 * round + winner)
        assertBytes(await journal.get(key), bytesOf(16 * round + winner), 'the row of the winner')
        const own = await journal.getMany(rivals.map(ownOf))
        for (const i of rivals) assertEqual(own[i]?.[0] === i, i === winner, `a row of rival ${i} is there`)
      }
    }
  }),

  contractCase<Journal>('compares a commit with the commits that are under way before it', async ({ now: journal }) => {
    const outcomes = await Promise.allSettled([
      journal.commit({ expectedHead: 0, events: [bytesOf(1)], rows: [put(a, 1)] }),
      journal.commit({ expectedRows: [put(a, 1)], events: [], rows: [put(b, 1), remove(a)] }),
      journal.commit({ expectedRows: [put(a, 1)], events: [], rows: [put(c, 1)] }),
      journal.commit({
        expectedHead: 1,
        expectedRows: [remove(a), put(b, 1)],
        events: [bytesOf(2)],
        rows: [put(a, 2)],
      }),
      journal.commit({ expectedHead: 1, expectedRows: [put(a, 2)], events: [], rows: [put(c, 2)] }),
    ])
    assertEqual(outcomes.map(({ status }) => status[0]).join(''), 'ffrfr', 'outcomes')
    assertEqual(await journal.head(), 2, 'head')
    assertBytesList(await journal.getMany([a, b, c]), [bytesOf(2), bytesOf(1), undefined], 'rows')
  }),

  contractCase<Journal>('does not refuse a commit of rows because events are appended', async ({ now: journal }) => {
    let cursor: RowChange = remove(a)
    for (let round = 1; round <= 5; round++) {
      const next = put(a, round)
      const commit = { expectedRows: [cursor], events: [], rows: [next], outsideLog: true }
      await Promise.all([
        journal.commit({ expectedHead: 2 * round - 2, events: [bytesOf(round)], rows: [put(b, round)] }),
        journal.commit(commit),
        journal.commit({ expectedHead: 2 * round - 1, events: [bytesOf(round)], rows: [] }),
      ])
      cursor = next
    }
    assertEqual(await journal.head(), 10, 'head')
    assertBytes(await journal.get(a), bytesOf(5), 'the cursor')
  }),

  contractCase<Journal>('rejects events without a head, and events outside the log', async ({ now: journal }) => {
    const wrong: readonly Commit[] = [
      { events: [bytesOf(1)], rows: [put(a, 1)] },
      { expectedRows: [remove(a)], events: [bytesOf(1)], rows: [put(a, 1)] },
      { expectedHead: 0, events: [bytesOf(1)], rows: [put(a, 1)], outsideLog: true },
    ]
    for (const commit of wrong) {
      const failure = await failureOf(() => journal.commit(commit))
      assert(failure?.error instanceof TypeError, `TypeError, not ${String(failure?.error)}`)
    }
    assertEqual(await journal.head(), 0, 'head')
    assertBytes(await journal.get(a), undefined, 'a row')
    await journal.commit({ expectedHead: 0, events: [bytesOf(1)], rows: [put(a, 1)] })
    assertEqual(await journal.head(), 1, 'head after a correct commit')
  }),

  contractCase<Journal>('keeps rows outside the log over a reopen, in order among the others', async (subject) => {
    const outside = (...rows: RowChange[]) => subject.now.commit({ events: [], rows, outsideLog: true })
    const long = pattern(9000)
    await outside(put(bytesOf(5, 1), 1), put(bytesOf(5, 2), 2), { key: bytesOf(5, 3), value: long })
    await subject.now.commit({
      expectedHead: 0,
      events: [bytesOf(1)],
      rows: [put(a, 1), put(bytesOf(5), 0), put(bytesOf(6), 6)],
    })
    await outside(remove(bytesOf(5, 1)), put(bytesOf(5, 2), 22))
    await assertOutside(subject.now, long)
    await assertOutside(await subject.reopen(), long)
    assertEqual(await subject.now.head(), 1, 'head')
    await outside(put(bytesOf(5, 1), 1), remove(bytesOf(5, 3)))
    const journal = await subject.reopen()
    const keys = [bytesOf(5, 1), bytesOf(5, 2), bytesOf(5, 3)]
    assertBytesList(await journal.getMany(keys), [bytesOf(1), bytesOf(22), undefined], 'rows after a second reopen')
  }),

  contractCase<Journal>('pins rows outside the log in a snapshot', async ({ now: journal }) => {
    await journal.commit({ events: [], rows: [put(a, 1)], outsideLog: true })
    const snapshot = await journal.snapshot()
    await journal.commit({ events: [], rows: [put(a, 2), put(b, 2)], outsideLog: true })
    assertBytesList(await snapshot.getMany([a, b]), [bytesOf(1), undefined], 'the state of the snapshot')
    assertBytesList(await journal.getMany([a, b]), [bytesOf(2), bytesOf(2)], 'the newest state')
    await snapshot.close()
  }),
]

async function assertOutside(journal: Journal, long: Uint8Array): Promise<void> {
  const cursor = journal.cursor({ gte: bytesOf(5), lt: bytesOf(7) })
  const rows = await cursor.next(10)
  await cursor.close()
  const expected = [[5], [5, 2], [5, 3], [6]].map((key) => bytesOf(...key))
  const keys = rows.map(([key]) => key)
  assertBytesList(keys, expected, 'keys')
  const values = rows.map(([, value]) => value)
  assertBytesList(values, [bytesOf(0), bytesOf(22), long, bytesOf(6)], 'values')
  assertBytes(await journal.get(bytesOf(5, 1)), undefined, 'a removed row')
}

const put = (key: Uint8Array, value: number): RowChange => ({ key, value: bytesOf(value) })
const remove = (key: Uint8Array): RowChange => ({ key, value: null })
const detailsOf = (error: unknown): unknown => isStorageError(error) && JSON.stringify(error.details)

/** Cases for opening and closing: acknowledged commits exist after a reopen, and a closed journal rejects calls. */
import { isStorageError } from '../base/errors.ts'
import type { Journal } from '../ports/index.ts'
import { assert, assertBytes, assertCode, assertEqual, failureOf } from './assert.ts'
import { contractCase } from './contract.ts'
import { bytesOf, pattern } from './material.ts'

const range = { gte: bytesOf(0), lt: bytesOf(0xff) }

export const journalLifeCases = [
  contractCase<Journal>('shows everything again after it was reopened', async (subject) => {
    const rows = Array.from({ length: 50 }, (_, i) => ({ key: bytesOf(i), value: pattern(100, i) }))
    await subject.now.commit({ expectedHead: 0, events: [pattern(10), pattern(20)], rows })
    await subject.now.commit({ expectedHead: 2, events: [pattern(30)], rows: [{ key: bytesOf(7), value: null }] })
    const journal = await subject.reopen()
    assertEqual(await journal.head(), 3, 'head')
    let seq = 0
    for await (const event of journal.events()) {
      assertEqual(event.seq, ++seq, 'position')
      assertBytes(event.bytes, pattern(10 * seq), `event ${seq}`)
    }
    assertEqual(seq, 3, 'events')
    for (const { key, value } of rows) assertBytes(await journal.get(key), key[0] === 7 ? undefined : value, 'row')
    await assertCode('JournalConflict', () => journal.commit({ expectedHead: 0, events: [], rows: [] }), 'old head')
    await journal.commit({ expectedHead: 3, events: [bytesOf(4)], rows: [] })
    assertEqual(await (await subject.reopen()).head(), 4, 'head after going on')
  }),

  contractCase<Journal>('can be closed more than once', async ({ now: journal }) => {
    await Promise.all([journal.close(), journal.close()])
    await journal.close()
  }),

  contractCase<Journal>('rejects every call with JournalClosed once it is closed', async ({ now: journal }) => {
    await journal.commit({
      expectedHead: 0,
      events: [bytesOf(1), bytesOf(2)],
      rows: [{ key: bytesOf(1), value: bytesOf(1) }],
    })
    const cursor = journal.cursor(range)
    const snapshot = await journal.snapshot()
    const pinned = snapshot.cursor(range)
    const events = journal.events()[Symbol.asyncIterator]()
    await journal.close()
    const calls: Readonly<Record<string, () => Promise<unknown>>> = {
      head: () => journal.head(),
      commit: () => journal.commit({ expectedHead: 2, events: [], rows: [] }),
      get: async () => journal.get(bytesOf(1)),
      getMany: () => journal.getMany([bytesOf(1)]),
      'getMany of nothing': () => journal.getMany([]),
      cursor: async () => journal.cursor(range).next(1),
      events: () => journal.events()[Symbol.asyncIterator]().next(),
      snapshot: async () => (await journal.snapshot()).get(bytesOf(1)),
      'an earlier cursor': () => cursor.next(1),
      'an earlier snapshot': async () => snapshot.get(bytesOf(1)),
      'an earlier snapshot, getMany': () => snapshot.getMany([bytesOf(1)]),
      'a cursor of an earlier snapshot': () => pinned.next(1),
      'an earlier walk over events': () => events.next(),
    }
    for (const [name, call] of Object.entries(calls)) await assertCode('JournalClosed', call, name)
    await Promise.all([cursor.close(), pinned.close(), snapshot.close()])
  }),

  contractCase<Journal>('keeps a commit in flight when it was closed, or reports its failure', async (subject) => {
    const journal = subject.now
    const commit = failureOf(() => journal.commit({ expectedHead: 0, events: [bytesOf(1)], rows: [] }))
    const reopened = await subject.reopen()
    const failure = await commit
    if (failure === undefined) assertEqual(await reopened.head(), 1, 'head after an acknowledged commit')
    else assert(isStorageError(failure.error, 'JournalClosed'), `JournalClosed, not ${String(failure.error)}`)
  }),
]

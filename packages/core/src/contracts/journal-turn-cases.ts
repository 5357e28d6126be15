/** Cases for turns at the end of the log, for journals that have them. */
import type { Journal } from '../ports/index.ts'
import { assertBytes, assertCode, assertEqual } from './assert.ts'
import { contractCase } from './contract.ts'
import { bytesOf } from './material.ts'

const appending = (expectedHead: number, key: number) => ({
  expectedHead,
  events: [bytesOf(key)],
  rows: [{ key: bytesOf(key), value: bytesOf(key) }],
})

export const journalTurnCases = [
  contractCase<Journal>('keeps other commits of events waiting in a turn', async ({ now: journal }) => {
    const held = await journal.hold?.()
    if (held === undefined) return
    assertEqual(held.seq, 0, 'the end of the log')
    const other = assertCode('JournalConflict', () => journal.commit(appending(0, 2)), 'a commit that waited')
    await held.commit(appending(0, 1))
    await other
    assertEqual(await journal.head(), 1, 'head')
    assertBytes(await journal.get(bytesOf(2)), undefined, 'a row of the commit that waited')
  }),

  contractCase<Journal>('gives turns one after another', async ({ now: journal }) => {
    if (journal.hold === undefined) return
    const turns = Array.from({ length: 8 }, async (_, i) => {
      const held = await journal.hold?.()
      await held?.commit(appending(held.seq, i))
    })
    await Promise.all(turns)
    assertEqual(await journal.head(), 8, 'head')
  }),

  contractCase<Journal>('ends a turn without a commit', async ({ now: journal }) => {
    const held = await journal.hold?.()
    await held?.release()
    await held?.release()
    await journal.commit(appending(0, 1))
    assertEqual(await journal.head(), 1, 'head')
    if (held !== undefined) await assertCode('JournalConflict', () => held.commit(appending(1, 2)), 'an ended turn')
  }),

  contractCase<Journal>(
    'applies nothing of a commit in a turn that expects another state',
    async ({ now: journal }) => {
      const held = await journal.hold?.()
      if (held === undefined) return
      const expectedRows = [{ key: bytesOf(9), value: bytesOf(9) }]
      await assertCode('JournalConflict', () => held.commit({ ...appending(0, 1), expectedRows }), 'another row')
      await held.release()
      await journal.commit(appending(0, 2))
      assertBytes(await journal.get(bytesOf(1)), undefined, 'a row of the refused commit')
    },
  ),
]

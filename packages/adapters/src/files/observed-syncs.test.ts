import type { SyncObservation } from '@varve/core'
import { journalContract } from '@varve/core/contracts'
import { describe, expect, it } from 'vitest'
import { memoryJournal, memoryMedium } from '../level-journal/memory-journal.ts'
import { nodeFileSystem } from './node-file-system.ts'
import { commitsObserved, syncsObserved } from './observed-syncs.ts'

const commit = { expectedHead: 0, events: [new Uint8Array(1)], rows: [] }

function watch() {
  const syncs: SyncObservation[] = []
  let clock = 0
  return { syncs, onSync: (sync: SyncObservation) => void syncs.push(sync), now: () => (clock += 2) }
}

describe('a journal whose commits are measured', () => {
  const open = async (medium = memoryMedium()) => commitsObserved(await memoryJournal(medium), watch())
  const openFresh = async (medium = memoryMedium()) => ({ instance: await open(medium), reopen: () => open(medium) })
  for (const { name, run } of journalContract) it(name, () => run(openFresh))

  it('reports each commit, but not one that was refused for a conflict', async () => {
    const watching = watch()
    const journal = commitsObserved(await memoryJournal(), watching)
    await journal.commit(commit)
    await expect(journal.commit(commit)).rejects.toMatchObject({ code: 'JournalConflict' })
    expect(watching.syncs).toEqual([{ what: 'journal', durationMs: 2 }])
  })
})

describe('without a watch', () => {
  it('nothing is wrapped', async () => {
    const journal = await memoryJournal()
    expect(commitsObserved(journal, undefined)).toBe(journal)
    expect(syncsObserved(nodeFileSystem, 'blobs', undefined)).toBe(nodeFileSystem)
  })
})

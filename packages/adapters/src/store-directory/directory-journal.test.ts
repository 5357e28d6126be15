import { StorageError } from '@varve/core'
import { journalContract } from '@varve/core/contracts'
import { describe, expect, it } from 'vitest'
import { memoryJournal, memoryMedium } from '../level-journal/memory-journal.ts'
import { directoryJournal } from './directory-journal.ts'

const parts = { reserve: { spend: () => undefined }, guard: { check: async () => undefined }, onUnknownOutcome() {} }
const commit = { expectedHead: 0, events: [new Uint8Array(1)], rows: [] }

describe('the journal of a directory', () => {
  const open = async (medium = memoryMedium()) => directoryJournal(await memoryJournal(medium), parts)
  const openFresh = async (medium = memoryMedium()) => ({ instance: await open(medium), reopen: () => open(medium) })
  for (const { name, run } of journalContract) it(name, () => run(openFresh))

  it('is exclusive, because the directory has a lock', async () => {
    expect(await memoryJournal()).toMatchObject({ exclusive: false })
    expect(await open()).toMatchObject({ exclusive: true })
  })

  it('counts every byte of events, keys and values against the reserve', async () => {
    let spent = 0
    const reserve = { spend: (bytes: number) => void (spent += bytes) }
    const journal = directoryJournal(await memoryJournal(), { ...parts, reserve })
    const rows = [
      { key: new Uint8Array(5), value: new Uint8Array(7) },
      { key: new Uint8Array(11), value: null },
    ]
    await journal.commit({ expectedHead: 0, events: [new Uint8Array(100), new Uint8Array(0)], rows })
    expect(spent).toBe(123)
  })

  it('commits nothing and spends nothing once the directory was moved', async () => {
    let spent = 0
    const moved = new StorageError('BlobFailed', 'It was moved.', { details: { kind: 'directory' } })
    const inner = await memoryJournal()
    const journal = directoryJournal(inner, {
      ...parts,
      reserve: { spend: (bytes: number) => void (spent += bytes) },
      guard: { check: async () => Promise.reject(moved) },
    })
    await expect(journal.commit(commit)).rejects.toBe(moved)
    expect([spent, await inner.head()]).toEqual([0, 0])
  })

  it('reports an unknown outcome of a commit, but not a commit that was refused', async () => {
    let unknown = 0
    const inner = await memoryJournal()
    const journal = directoryJournal(inner, { ...parts, onUnknownOutcome: () => unknown++ })
    await expect(journal.commit({ ...commit, expectedHead: 7 })).rejects.toMatchObject({ code: 'JournalConflict' })
    await expect(journal.commit({ events: commit.events, rows: [] })).rejects.toThrow(TypeError)
    expect(unknown).toBe(0)
    const failing = { ...inner, commit: async () => Promise.reject(new StorageError('JournalFailed', 'No answer.')) }
    const other = directoryJournal(failing, { ...parts, onUnknownOutcome: () => unknown++ })
    await expect(other.commit(commit)).rejects.toMatchObject({ code: 'JournalFailed' })
    expect(unknown).toBe(1)
  })
})

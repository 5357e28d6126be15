import { StorageError } from '@varve/core'
import { journalContract } from '@varve/core/contracts'
import { describe, expect, it } from 'vitest'
import { memoryJournal, memoryMedium } from '../level-journal/memory-journal.ts'
import { faultAt, flipBit } from './fault-plan.ts'
import { faultyJournal } from './faulty-journal.ts'

describe('a faulty journal without faults', () => {
  const open = async (medium = memoryMedium()) => faultyJournal(await memoryJournal(medium), () => undefined)
  const openFresh = async (medium = memoryMedium()) => ({ instance: await open(medium), reopen: () => open(medium) })
  for (const { name, run } of journalContract) it(name, () => run(openFresh))
})

describe('a faulty journal', () => {
  const bytes = (...values: number[]) => Uint8Array.from(values)
  const commit = (expectedHead: number) => ({
    expectedHead,
    events: [bytes(8)],
    rows: [{ key: bytes(1), value: bytes(2, 2) }],
  })
  const error = new StorageError('JournalFailed', 'As planned.')

  it.each([
    ['before', 1],
    ['after', 2],
  ] as const)('fails a commit %s its effect and takes no other', async (kind, head) => {
    const medium = memoryMedium()
    const journal = faultyJournal(await memoryJournal(medium), faultAt('commit', 2, { kind, error }))
    await journal.commit(commit(0))
    await expect(journal.commit(commit(1))).rejects.toBe(error)
    await expect(journal.commit(commit(head))).rejects.toMatchObject({ code: 'JournalFailed', cause: error })
    await journal.close()
    expect(await (await memoryJournal(medium)).head()).toBe(head)
  })

  it('takes commits after one that was refused', async () => {
    const journal = faultyJournal(await memoryJournal(), () => undefined)
    await expect(journal.commit({ events: [bytes(8)], rows: [] })).rejects.toThrow(TypeError)
    await expect(journal.commit(commit(1))).rejects.toMatchObject({ code: 'JournalConflict' })
    await journal.commit(commit(0))
    expect(await journal.head()).toBe(1)
    await journal.close()
  })

  it('is shared or exclusive like the journal that it wraps, and answers a snapshot as late', async () => {
    const medium = memoryMedium()
    const inner = await memoryJournal(medium, { exclusive: true })
    const later = { ...inner, snapshot: async () => inner.snapshot() }
    const journal = faultyJournal(later, () => undefined)
    expect(journal.exclusive).toBe(true)
    const snapshot = journal.snapshot()
    expect(snapshot).toBeInstanceOf(Promise)
    expect(await (await snapshot).get(bytes(1))).toBeUndefined()
    await journal.close()
  })

  it('changes the bytes of any read', async () => {
    const plan = () => ({ kind: 'alter', alter: flipBit(0) }) as const
    const journal = faultyJournal(await memoryJournal(), plan)
    await journal.commit(commit(0))
    const snapshot = await journal.snapshot()
    expect(await journal.get(bytes(1))).toEqual(bytes(3, 2))
    expect(await journal.get(bytes(9))).toBeUndefined()
    expect(await snapshot.getMany([bytes(1), bytes(9)])).toEqual([bytes(3, 2), undefined])
    expect(await snapshot.cursor({ gte: bytes(0), lt: bytes(9) }).next(9)).toEqual([[bytes(1), bytes(3, 2)]])
    for await (const event of journal.events()) expect(event).toEqual({ seq: 1, bytes: bytes(9) })
    await journal.close()
  })
})

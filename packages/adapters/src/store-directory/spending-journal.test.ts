import { journalContract } from '@varve/core/contracts'
import { describe, expect, it } from 'vitest'
import { memoryJournal, memoryMedium } from '../level-journal/memory-journal.ts'
import { spendingJournal } from './spending-journal.ts'

describe('a journal that counts against a reserve', () => {
  const open = async (medium = memoryMedium()) =>
    spendingJournal(await memoryJournal(medium), { spend: () => undefined })
  const openFresh = async (medium = memoryMedium()) => ({ instance: await open(medium), reopen: () => open(medium) })
  for (const { name, run } of journalContract) it(name, () => run(openFresh))

  it('counts every byte of events, keys and values', async () => {
    let spent = 0
    const journal = spendingJournal(await memoryJournal(), { spend: (bytes) => (spent += bytes) })
    const rows = [
      { key: new Uint8Array(5), value: new Uint8Array(7) },
      { key: new Uint8Array(11), value: null },
    ]
    await journal.commit({ expectedHead: 0, events: [new Uint8Array(100), new Uint8Array(0)], rows })
    expect(spent).toBe(123)
  })
})

import { journalContract } from '@varve/core/contracts'
import { describe, expect, it } from 'vitest'
import { twoEngines } from '../two-engines.fixture.ts'
import { memoryJournal, memoryMedium } from './memory-journal.ts'

describe('the journal in memory', () => {
  const openFresh = async (medium = memoryMedium()) => ({
    instance: await memoryJournal(medium),
    reopen: () => memoryJournal(medium),
  })
  for (const { name, run } of journalContract) it(name, () => run(openFresh))
  for (const { name, run } of twoEngines) it(name, () => run(openFresh))
})

describe('two journals on one medium', () => {
  const open = async () => {
    const medium = memoryMedium()
    return [await memoryJournal(medium), await memoryJournal(medium)] as const
  }
  const event = (byte: number) => [Uint8Array.of(byte)]

  it('have one head, and no commit writes over the events of the other', async () => {
    const [one, two] = await open()
    await one.commit({ expectedHead: 0, events: event(1), rows: [] })
    expect([await one.head(), await two.head()]).toEqual([1, 1])
    const late = two.commit({ expectedHead: 0, events: event(2), rows: [] })
    await expect(late).rejects.toMatchObject({ code: 'JournalConflict' })
    await two.commit({ expectedHead: 1, events: event(3), rows: [] })
    const stored: number[] = []
    for await (const { bytes } of one.events()) stored.push(bytes[0] as number)
    expect(stored).toEqual([1, 3])
  })

  it('commit in turn: of commits at once, one is first', async () => {
    const [one, two] = await open()
    const outcomes = await Promise.allSettled(
      [one, two, one, two].map((journal, i) => journal.commit({ expectedHead: 0, events: event(i), rows: [] })),
    )
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected'])
  })

  it('outlive each other, until the last is closed', async () => {
    const medium = memoryMedium()
    const [one, two] = [await memoryJournal(medium), await memoryJournal(medium)]
    await one.close()
    await expect(one.head()).rejects.toMatchObject({ code: 'JournalClosed' })
    await two.commit({ expectedHead: 0, events: event(1), rows: [] })
    await two.close()
    expect(() => medium.snapshot()).toThrow('not open')
    expect(await (await memoryJournal(medium)).head()).toBe(1)
  })

  it('stop after a batch with an unknown outcome, and the next one reads the log again', async () => {
    const medium = memoryMedium()
    const [one, two] = [await memoryJournal(medium), await memoryJournal(medium)]
    const { batch } = medium
    medium.batch = () => {
      const filled = batch()
      return Object.assign(filled, {
        write: async () => {
          throw new Error('EIO')
        },
      })
    }
    const failed = { code: 'JournalFailed' }
    await expect(one.commit({ expectedHead: 0, events: event(1), rows: [] })).rejects.toMatchObject(failed)
    medium.batch = batch
    await expect(two.commit({ expectedHead: 0, events: event(1), rows: [] })).rejects.toMatchObject(failed)
    const next = await memoryJournal(medium)
    await Promise.all([one.close(), two.close()])
    await next.commit({ expectedHead: 0, events: event(1), rows: [] })
    expect(await next.head()).toBe(1)
  })
})

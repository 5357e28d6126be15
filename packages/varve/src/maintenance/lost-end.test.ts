/** A repair never claims that a log is whole if its end cannot be proved. */
import { readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RecordedEvent } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStore } from '../store/open-store.ts'
import { testedLayouts } from '../tested-layouts.fixture.ts'
import { repairStore, salvageStore, verifyStore } from './closed-stores.ts'

const scratch = scratchDirectory()

async function closedStore(layout?: (typeof testedLayouts)[number]): Promise<string> {
  const dir = scratch.next()
  const store = await openStore(dir, { ...(layout && { layout }) })
  await store.buckets.create('letters')
  await store.objects.put('letters', 'ann', 'Dear Ann')
  await store.close()
  return dir
}

async function lastEventIn(dir: string): Promise<RecordedEvent | undefined> {
  const store = await openStore(dir)
  let last: RecordedEvent | undefined
  for await (const event of store.log()) last = event
  await store.close()
  return last
}

const damageWitness = (dir: string) => writeFile(join(dir, 'witness'), 'not what it was')
const takeSealAway = (dir: string) => rm(join(dir, 'seal'))

describe('a store whose witness is damaged', () => {
  it.each(testedLayouts)('is repaired where the seal vouches for the files of its log: %s', async (layout) => {
    const dir = await closedStore(layout)
    await damageWitness(dir)
    const { after, actions } = await repairStore(dir)
    expect(after.ok).toBe(true)
    expect(actions).toEqual([expect.stringContaining('Wrote the witness again')])
  })

  it.each(testedLayouts)(
    'is not repaired without the seal, because the end of its log cannot be proved: %s',
    async (layout) => {
      const dir = await closedStore(layout)
      await damageWitness(dir)
      await takeSealAway(dir)
      await expect(repairStore(dir)).rejects.toMatchObject({ code: 'LogCorrupt', details: { kind: 'beyond-repair' } })
      const into = scratch.next()
      await expect(salvageStore(dir, into)).resolves.toMatchObject({ eventsLost: 0, lost: [] })
      expect(await lastEventIn(into)).toMatchObject({ type: 'EpochBegun', data: { reason: 'salvaged' } })
    },
  )

  it('is not repaired with a damaged seal either', async () => {
    const dir = await closedStore()
    await damageWitness(dir)
    await writeFile(join(dir, 'seal'), 'not what it was')
    await expect(repairStore(dir)).rejects.toMatchObject({ details: { kind: 'beyond-repair' } })
  })

  it('is not repaired after its log lost its last events without a trace', async () => {
    const dir = await closedStore()
    const [log = ''] = (await readdir(join(dir, 'events'))).filter((name) => name.endsWith('.log'))
    await truncate(join(dir, 'events', log), 0)
    await damageWitness(dir)
    await takeSealAway(dir)
    await expect(repairStore(dir)).rejects.toMatchObject({ details: { kind: 'beyond-repair' } })
    // All its events were in that file. An empty store would be no salvage.
    const into = scratch.next()
    await expect(salvageStore(dir, into)).rejects.toMatchObject({ code: 'LogCorrupt' })
    await expect(readdir(into)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('is repaired without the seal if the caller knows the tip', async () => {
    const dir = await closedStore()
    const { tip } = await verifyStore(dir)
    if (tip === undefined) throw new Error('the log has a tip')
    await damageWitness(dir)
    await takeSealAway(dir)
    expect((await repairStore(dir, { tip })).after.ok).toBe(true)
  })
})

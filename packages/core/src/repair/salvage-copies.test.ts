import { describe, expect, it } from 'vitest'
import { memoryJournal, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Seq } from '../ports/index.ts'
import { salvage } from './salvage.ts'

const body = 'long '.repeat(100)

/** A log in which a copy took the bytes of a removed version, opened again without the event at `lost`. */
async function salvaged(lost: Seq) {
  const ports = memoryPorts()
  const store = await openEngine(ports, { inlineMax: 64, retentionMs: 60_000 })
  await store.buckets.create('box')
  const { seq } = await store.objects.put('box', 'k', body)
  await store.objects.delete('box', 'k')
  await store.objects.copy({ bucket: 'box', key: 'k', at: seq }, 'box', 'copy')
  const to = store.seq
  await store.close()
  const into = memoryJournal()
  await salvage({ from: ports.journal, into, hashing: ports.hashing, soundTo: 1, doubted: new Set([lost]), to })
  const opened = { ...ports, journal: into }
  return { ports: opened, store: await openEngine(opened, { inlineMax: 64, retentionMs: 60_000 }) }
}

describe('a copy that took the bytes of a removed version', () => {
  it.each([
    ['nothing', 0],
    ['the version', 2],
    ['its removal', 3],
  ])('keeps them after a salvage that lost %s', async (_, lost) => {
    const { ports, store } = await salvaged(lost)
    ports.clock.time += 120_000
    await store.sweep({ orphans: true })
    expect(await (await store.objects.get('box', 'copy')).text()).toBe(body)
    expect((await store.verify()).divergences).toEqual([])
    await store.close()
  })
})

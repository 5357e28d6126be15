import { describe, expect, it } from 'vitest'
import { list } from '../api/answers.fixture.ts'
import { memoryJournal, type MemoryPorts, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import { isStorageError } from '../base/errors.ts'
import type { Seq } from '../ports/index.ts'
import { salvage } from './salvage.ts'

const options = { inlineMax: 4, retentionMs: 1000 }

async function logWithForks(): Promise<MemoryPorts> {
  const ports = memoryPorts()
  const store = await openEngine(ports, options)
  const { buckets, objects, versions } = store
  await buckets.create('base', { versioning: 'Enabled', settings: { Tags: [{ key: 'k', value: 'v' }] } })
  const first = await objects.put('base', 'a', 'first bytes')
  const second = await objects.put('base', 'a', 'second bytes')
  await objects.put('base', 'b', 'other bytes')
  await buckets.fork('base', 'fork')
  await versions.delete('fork', 'a', second.versionId)
  await objects.annotate('fork', 'b', { kind: 'tags', value: [{ key: 'k', value: 'v' }] })
  await objects.put('fork', 'b', 'bytes of the fork')
  await buckets.fork('fork', 'again')
  await versions.delete('base', 'a', first.versionId)
  await objects.copy({ bucket: 'again', key: 'a' }, 'base', 'copy')
  await objects.delete('again', 'b')
  await buckets.drop('fork')
  await store.sweep()
  await buckets.create('fork')
  await store.close()
  return ports
}

async function salvaged(ports: MemoryPorts, lost: Seq): Promise<Store> {
  const into = memoryJournal()
  const to = ports.journal.log.length
  await salvage({ from: ports.journal, into, hashing: ports.hashing, soundTo: 0, doubted: new Set([lost]), to })
  return openEngine({ ...ports, journal: into }, options)
}

/** Every version that a bucket shows can be read, unless the log says that its bytes were erased. */
async function expectReadable({ buckets, versions, objects }: Store): Promise<void> {
  for (const { name } of await list(buckets.list())) {
    for (const entry of await list(versions.list(name))) {
      if (entry.kind !== 'version') continue
      const read = objects.get(name, entry.key, { versionId: entry.versionId }).then((object) => object.text())
      const text = await read.catch(unlessExpected)
      if (text !== undefined) expect(text.length).toBe(entry.size)
    }
  }
}

/** A bucket whose versioning was lost has no version ids. */
function unlessExpected(error: unknown): undefined {
  if (!isStorageError(error, 'ObjectErased', 'InvalidArgument')) throw error
}

describe('a log with forks', () => {
  it('is salvaged without any one of its events, and everything that is shown then can be read', async () => {
    const { length } = (await logWithForks()).journal.log
    for (let lost = 0; lost <= length; lost++) {
      const ports = await logWithForks()
      const store = await salvaged(ports, lost)
      ports.clock.time += 10_000
      await store.sweep({ orphans: true })
      await expectReadable(store)
      expect((await store.verify({ scratch: memoryJournal() })).divergences, `without event ${lost}`).toEqual([])
      await store.close()
    }
  })
})

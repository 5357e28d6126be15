/**
 * In any order of operations, a data key exists exactly as long as the bytes that it encrypts. The log names all
 * encrypted blobs that ever were; the test compares those that have bytes with those that have a key.
 */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isStorageError } from '../base/errors.ts'
import { ciphers, testKeyring } from '../encryption/ciphers.fixture.ts'
import { inlineTable } from '../views/tables.ts'
import { list } from './answers.fixture.ts'
import { keyIdsOf } from './data-keys.fixture.ts'
import { memoryJournal, type MemoryPorts, memoryPorts } from './memory-ports.fixture.ts'
import { openEngine } from './open-engine.ts'
import type { Store } from './store.ts'
import type { UploadRef } from './types/index.ts'

const key = fc.constantFrom('a', 'b')
const text = fc.constantFrom('short', 'longer than any inline content')
const sealed = fc.boolean()
const number = fc.constantFrom(1, 2)
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ does: fc.constant('put' as const), key, text, sealed }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('copy' as const), key, to: key, sealed }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('delete' as const), key }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('remove' as const), pick: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('begin' as const), key, sealed }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('part' as const), number, text }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('complete' as const), number }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constantFrom('sweep' as const, 'wait' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constantFrom('abort' as const, 'rebuild' as const, 'keep versions' as const) }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

const retentionMs = 1000
const encrypted = (isSealed: boolean) => (isSealed ? { encryption: { mode: 'AES256' as const } } : {})

class World {
  readonly ports: MemoryPorts
  readonly store: Store
  #upload: UploadRef | undefined

  constructor(ports: MemoryPorts, store: Store) {
    this.ports = ports
    this.store = store
  }

  /** Refusals are fine: not every order of steps makes sense. */
  async take(one: Step): Promise<void> {
    try {
      await this.#take(one)
    } catch (error) {
      if (!isStorageError(error)) throw error
    }
  }

  async #take(one: Step): Promise<unknown> {
    const { buckets, objects, uploads, versions } = this.store
    const upload = this.#upload ?? { bucket: 'box', key: 'a', uploadId: 'none' }
    switch (one.does) {
      case 'put':
        return objects.put('box', one.key, one.text, encrypted(one.sealed))
      case 'copy':
        return objects.copy({ bucket: 'box', key: one.key }, 'box', one.to, encrypted(one.sealed))
      case 'delete':
        return objects.delete('box', one.key)
      case 'remove': {
        const entry = (await list(versions.list('box')))[one.pick]
        return entry !== undefined && 'versionId' in entry && versions.delete('box', entry.key, entry.versionId)
      }
      case 'begin':
        return (this.#upload = await uploads.create('box', one.key, encrypted(one.sealed)))
      case 'part':
        return uploads.uploadPart(upload, one.number, one.text)
      case 'complete': {
        const parts = (await list(uploads.listParts(upload))).filter(({ partNumber }) => partNumber >= one.number)
        return uploads.complete(upload, parts, { partSizeMin: 0 })
      }
      case 'abort':
        return uploads.abort(upload)
      case 'wait':
        return (this.ports.clock.time += retentionMs)
      case 'sweep':
        return this.store.sweep()
      case 'rebuild':
        return this.store.rebuild()
      case 'keep versions':
        return buckets.setVersioning('box', 'Enabled')
    }
  }

  async check(): Promise<void> {
    // Otherwise a sweep in the background may be between bytes and commit.
    await this.store.sweep()
    const { journal, blobs } = this.ports
    const withBytes = new Set<string>()
    for await (const { data } of this.store.log()) {
      if (!('content' in data) || data.content.kind !== 'blob' || data.content.sealed === undefined) continue
      const { id, inline } = data.content.blob
      if (inline ? (await journal.get(inlineTable.key(id))) !== undefined : blobs.bytes.has(id)) withBytes.add(id)
    }
    expect(new Set(keyIdsOf(this.ports))).toEqual(withBytes)
    expect((await this.store.verify({ scratch: memoryJournal() })).divergences).toEqual([])
  }
}

/** Whatever else is drawn: one key that is dropped, and one that is kept by a copy. */
const sure: readonly Step[] = [
  { does: 'put', key: 'a', text: 'short', sealed: true },
  { does: 'put', key: 'a', text: 'longer than any inline content', sealed: true },
  { does: 'copy', key: 'a', to: 'b', sealed: true },
  { does: 'delete', key: 'a' },
  { does: 'wait' },
  { does: 'sweep' },
]

it('a data key exists exactly as long as the bytes that it encrypts', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const ports = memoryPorts()
      const keyring = testKeyring('master')
      const store = await openEngine({ ...ports, ciphers, keyring }, { inlineMax: 16, retentionMs })
      await store.buckets.create('box')
      const world = new World(ports, store)
      for (const one of steps) {
        await world.take(one)
        if (one.does === 'sweep') await world.check()
      }
      await world.check()
      if (steps === sure) expect(keyIdsOf(ports)).toHaveLength(1)
      await store.close()
    }),
    { numRuns: 100, examples: [[sure as Step[]]] },
  )
}, 60_000)

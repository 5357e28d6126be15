import { beforeEach, describe, expect, it } from 'vitest'
import { compareBytes } from '../bytes/bytes.ts'
import { describeKey } from '../views/describe-key.ts'
import { waitingTable } from '../views/content-tables.ts'
import { codeOf } from '../api/answers.fixture.ts'
import { type MemoryPorts, memoryJournal, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'

let ports: MemoryPorts
let store: Store

const open = (retentionMs = 0) => openEngine(ports, { inlineMax: 64, retentionMs })

beforeEach(async () => {
  ports = memoryPorts()
  store = await open()
  await store.buckets.create('box')
})

describe('the sweep', () => {
  it('erases at once when nothing is retained, though the clock was set back', async () => {
    await store.objects.put('box', 'k', 'v'.repeat(100))
    ports.clock.time -= 86_400_000
    await store.objects.delete('box', 'k')
    await store.sweep()
    expect(ports.blobs.bytes.size).toBe(0)
  })

  it('waits for a read of the past, as for any other', async () => {
    store = await open(60_000)
    const upload = await store.uploads.create('box', 'k')
    const parts = []
    for (const [number, size] of [
      [1, 5 * 1024 ** 2],
      [2, 100],
    ] as const)
      parts.push(await store.uploads.uploadPart(upload, number, 'v'.repeat(size)))
    await store.uploads.complete(upload, parts)
    const past = await store.at(store.seq)
    await store.objects.delete('box', 'k')
    const object = await past.objects.get('box', 'k')
    ports.clock.time += 60_001
    await store.sweep()
    expect((await object.bytes()).length).toBe(5 * 1024 ** 2 + 100)
    await store.sweep()
    expect(ports.blobs.bytes.size).toBe(0)
    expect(await codeOf(past.objects.get('box', 'k'))).toBe('ObjectErased')
    expect(await codeOf(past.objects.head('box', 'k', { partNumber: 1 }))).toBe('ObjectErased')
  })

  it.each([
    ['a removal', () => store.objects.delete('box', 'k')],
    ['a write over it', () => store.objects.put('box', 'k', '')],
    [
      'the removal of its bucket',
      async () => {
        await store.objects.delete('box', 'k')
        await store.buckets.delete('box')
      },
    ],
    [
      'an erasure on purpose',
      async () => {
        await store.retention.set({ keepMs: 60_000 })
        await store.objects.delete('box', 'k')
        await store.erase({ bucket: 'box', key: 'k' })
      },
    ],
  ])('of %s that a read held back follows the end of the read, without another commit', async (_, free) => {
    await store.objects.put('box', 'k', 'v'.repeat(5 * 1024 ** 2))
    const object = await store.objects.get('box', 'k')
    await free()
    expect(await store.sweep()).toMatchObject({ erased: 0 })
    expect((await object.bytes()).length).toBe(5 * 1024 ** 2)
    await expect.poll(() => ports.blobs.bytes.size, { timeout: 30_000 }).toBe(0)
  })

  it('that a read held back follows a read that ends while the sweep looks', async () => {
    await store.objects.put('box', 'k', 'v'.repeat(5 * 1024 ** 2))
    const object = await store.objects.get('box', 'k')
    const cursor = ports.journal.cursor
    let ended: Promise<unknown> | undefined
    ports.journal.cursor = (range) => {
      const found = cursor(range)
      if (range.gte[0] !== waitingTable.range.gte[0]) return found
      const next: typeof found.next = async (max) => {
        ended ??= object.bytes()
        await ended
        return found.next(max)
      }
      return { ...found, next }
    }
    await store.objects.delete('box', 'k')
    await expect.poll(() => ended !== undefined, { timeout: 30_000 }).toBe(true)
    await ended
    await expect.poll(() => ports.blobs.bytes.size, { timeout: 30_000 }).toBe(0)
  })

  it('goes on where it ended, and comes back to what it erased in part', async () => {
    const upload = await store.uploads.create('box', 'k')
    for (let number = 1; number <= 1500; number++) await store.uploads.uploadPart(upload, number, 'x')
    await store.objects.put('box', 'other', 'y')
    const starts: Uint8Array[] = []
    const cursor = ports.journal.cursor
    ports.journal.cursor = (range) => {
      if (range.gte[0] === waitingTable.range.gte[0]) starts.push(range.gte)
      return cursor(range)
    }
    await Promise.all([store.uploads.abort(upload), store.objects.delete('box', 'other')])
    await store.sweep()
    expect([...ports.journal.rows.values()].filter(([key]) => describeKey(key).table === 'inline')).toEqual([])
    await store.sweep()
    const tables = new Set([...ports.journal.rows.values()].map(([key]) => describeKey(key).table))
    expect([tables.has('garbage'), tables.has('part')]).toEqual([false, false])
    expect(compareBytes(starts.at(-1) as Uint8Array, starts[0] as Uint8Array)).toBeGreaterThan(0)
  })

  it('that a crash broke off is finished before anything is verified', async () => {
    const upload = await store.uploads.create('box', 'k')
    await store.uploads.uploadPart(upload, 1, 'v'.repeat(100))
    const commit = ports.journal.commit
    ports.journal.commit = async (batch) => {
      if (ports.blobs.bytes.size === 0) throw new Error('crash')
      await commit(batch)
    }
    await store.uploads.abort(upload)
    await store.sweep().catch(() => undefined)
    expect(store.state).toBe('failed')
    ports.journal.commit = async (batch) => {
      await new Promise((resolve) => setTimeout(resolve, 10))
      await commit(batch)
    }
    store = await open()
    expect(await store.verify({ scratch: memoryJournal() })).toMatchObject({ divergences: [] })
  })
})

describe('a sweep that ends', () => {
  it('leaves nothing behind that was freed in its last moment', async () => {
    for (let snapshot = 0; snapshot < 120; snapshot++) {
      const ports = memoryPorts()
      const store = await openEngine(ports, { inlineMax: 0 })
      await store.buckets.create('box')
      await store.objects.put('box', 'k', 'x')
      const deletion = store.objects.delete('box', 'k')
      for (let i = 0; i < snapshot; i++) await Promise.resolve()
      const sweep = store.sweep()
      await Promise.all([deletion, sweep])
      await new Promise((resolve) => setImmediate(resolve))
      expect(ports.blobs.bytes.size, `a deletion ${snapshot} moments before a sweep`).toBe(0)
      await store.close()
    }
  })
})

describe('a read of the past that meets the sweep', () => {
  const parts = ['a', 'b', 'c'].map((letter) => letter.repeat(100))

  async function removedUpload() {
    const ports = memoryPorts()
    const deleteBlobs = ports.blobs.delete
    // One after the other, with time before and in between for others.
    ports.blobs.delete = async (ids) => {
      for (let i = 0; i < 100; i++) await Promise.resolve()
      for (const id of ids.toReversed()) {
        await Promise.resolve()
        await deleteBlobs([id])
      }
    }
    const store = await openEngine(ports, { inlineMax: 0 })
    await store.buckets.create('box')
    const upload = await store.uploads.create('box', 'k')
    const made = []
    for (const [i, body] of parts.entries()) made.push(await store.uploads.uploadPart(upload, i + 1, body))
    await store.uploads.complete(upload, made, { partSizeMin: 1 })
    return { ports, store, past: await store.at(store.seq) }
  }

  it('has all of the bytes or is refused before the first of them, at every moment', async () => {
    const outcomes = new Set<string>()
    for (let snapshot = 0; snapshot < 250; snapshot++) {
      const { store, past } = await removedUpload()
      const deletion = store.objects.delete('box', 'k')
      for (let i = 0; i < snapshot; i++) await Promise.resolve()
      let outcome: string
      const object = await past.objects.get('box', 'k').catch((error: unknown) => error as { readonly code: string })
      if ('code' in object) outcome = object.code
      else {
        await deletion
        await new Promise((resolve) => setImmediate(resolve))
        outcome = (await object.text()) === parts.join('') ? 'whole' : 'other bytes'
      }
      outcomes.add(outcome)
      await deletion
      await store.close()
    }
    expect(outcomes).toEqual(new Set(['whole', 'ObjectErased']))
  })

  it('is refused before the first byte when some of the bytes are lost, which is not called an erasure', async () => {
    const { ports, store } = await removedUpload()
    const then = store.seq
    await store.close()
    const again = await openEngine(ports, { inlineMax: 0, retentionMs: 1_000_000 })
    await again.objects.delete('box', 'k')
    const [, second] = [...ports.blobs.bytes.keys()]
    ports.blobs.bytes.delete(second as string)
    expect(await codeOf((await again.at(then)).objects.get('box', 'k'))).toBe('BlobMissing')
  })
})

import { beforeEach, describe, expect, it } from 'vitest'
import { sealFrame } from '../bytes/frame.ts'
import { encodeUtf8 } from '../bytes/utf8.ts'
import { hashing, type MemoryPorts, memoryPorts } from '../api/memory-ports.fixture.ts'
import { openEngine } from '../api/open-engine.ts'
import type { Store } from '../api/store.ts'
import type { Divergence } from '../verify/report.ts'
import type { ScrubPosition } from './scrub.ts'

let ports: MemoryPorts
let store: Store
let waited: number

beforeEach(async () => {
  ports = memoryPorts()
  waited = 0
  const timer = {
    nextTurn: async () => undefined,
    async pause(ms: number, signal?: AbortSignal) {
      signal?.throwIfAborted()
      waited += ms
    },
  }
  store = await openEngine({ ...ports, timer }, { inlineMax: 16 })
  await store.buckets.create('box')
  await store.objects.put('box', 'large', 'x'.repeat(5000))
  await store.objects.put('box', 'small', 'small')
})

const kinds = (divergences: readonly Divergence[]) => divergences.map(({ kind }) => kind)

describe('a scrub', () => {
  it('looks at every event, row and blob, and finds nothing wrong', async () => {
    const report = await store.scrub()
    expect(report).toMatchObject({ ok: true, events: 3, blobs: 2, found: 0 })
    expect(report.rows).toBeGreaterThan(5)
    expect(report.bytes).toBeGreaterThan(5000)
    expect(waited).toBe(0)
  })

  it('names what has gone bad, and goes on behind it', async () => {
    const [id] = [...ports.blobs.bytes.keys()]
    ports.blobs.bytes.set(id as string, encodeUtf8('y'.repeat(5000)))
    ports.journal.log[0] = sealFrame(hashing, encodeUtf8('elsewhere'), encodeUtf8('{}'))
    for (const [name, [key, value]] of ports.journal.rows) {
      if (key[0] === 0x80) ports.journal.rows.set(name, [key, value.subarray(1)])
      if (key[0] === 0x10) ports.journal.rows.delete(name)
      if (key[0] === 0x20) ports.journal.rows.set(name, [key, value.subarray(1)])
    }
    const found: Divergence[] = []
    const report = await store.scrub({ onDivergence: (divergence) => found.push(divergence) })
    expect(kinds(found)).toEqual(['EventDamaged', 'RowCorrupt', 'RowCorrupt', 'BlobCorrupt', 'InlineCorrupt'])
    expect(report).toMatchObject({ ok: false, found: 5 })
    expect(found[3]).toMatchObject({ key: id, runs: [0], of: { bucket: 'box', key: 'large' } })
    expect(kinds(store.damage)).toEqual(kinds(found))
    expect(store.damage[3]).toMatchObject({ ...found[3], foundAt: new Date(ports.clock.time) })
  })

  it('remembers damage until a pass over everything does not find it again', async () => {
    const [[id, bytes] = ['', new Uint8Array()]] = [...ports.blobs.bytes]
    ports.blobs.bytes.set(id, encodeUtf8('y'.repeat(5000)))
    await store.scrub()
    await store.scrub({ from: { stage: 'bytes', after: '' } })
    expect(kinds(store.damage)).toEqual(['BlobCorrupt'])
    ports.blobs.bytes.set(id, bytes)
    await store.scrub({ from: { stage: 'bytes', after: '' } })
    expect(kinds(store.damage)).toEqual(['BlobCorrupt'])
    await store.scrub()
    expect(store.damage).toEqual([])
  })

  it('looks at the rows of keyspaces too, from wherever it begins', async () => {
    const before = await store.scrub()
    const keyspace = await store.keyspaces.open('index', { version: 1 })
    const changes = Array.from({ length: 700 }, (_, i) => ({
      key: Uint8Array.of(i >> 8, i & 255),
      value: encodeUtf8('v'),
    }))
    await keyspace.commit({ to: 1, changes })
    const positions: ScrubPosition[] = []
    const report = await store.scrub({ onProgress: ({ position }) => positions.push(position) })
    expect([report.found, report.rows - before.rows]).toEqual([0, 701])
    const within = positions.find(({ stage, after }) => stage === 'rows' && after.startsWith('a0')) as ScrubPosition
    expect((await store.scrub({ from: within })).rows).toBe(701 - 500)
    const [last] = [...ports.journal.rows].filter(([, [key]]) => key[0] === 0xa0).slice(-1)
    const [name, [key, value]] = last as readonly [string, readonly [Uint8Array, Uint8Array]]
    ports.journal.rows.set(name, [key, value.subarray(1)])
    const { divergences } = await store.scrub()
    expect(divergences).toMatchObject([{ kind: 'RowCorrupt', table: 'keyspace', of: { keyspace: 'index' } }])
  })

  it('keeps to its rate by waiting as long as the bytes are worth', async () => {
    const { bytes } = await store.scrub({ bytesPerSecond: 1000 })
    expect(waited).toBeGreaterThan(bytes - 100)
    expect(waited).toBeLessThanOrEqual(bytes)
  })

  it('goes on where an earlier one was cut off', async () => {
    const positions: ScrubPosition[] = []
    const whole = await store.scrub({ onProgress: ({ position }) => positions.push(position) })
    expect(positions.at(-1)?.stage).toBe('bytes')
    for (const [i, from] of positions.entries()) {
      const rest: ScrubPosition[] = []
      const report = await store.scrub({ from, onProgress: ({ position }) => rest.push(position) })
      expect(rest).toEqual(positions.slice(i + 1))
      expect(report.bytes).toBeLessThan(whole.bytes)
    }
  })

  it('ends when it is aborted, and when the store is closed', async () => {
    const end = new AbortController()
    const cut = store.scrub({ signal: end.signal, onProgress: () => end.abort(new Error('enough')) })
    await expect(cut).rejects.toThrow('enough')
    const closing = store.scrub({ onProgress: () => void store.close() })
    await expect(closing).rejects.toMatchObject({ code: 'StoreClosed' })
  })

  it('calls nothing lost that was erased while it looked', async () => {
    const report = await store.scrub({
      onProgress: ({ position }) => {
        if (position.stage === 'rows') void store.objects.delete('box', 'large').then(() => store.sweep())
      },
    })
    expect(report).toMatchObject({ ok: true })
  })

  it('refuses a rate it cannot keep, and a position that is none', async () => {
    const untimed = await openEngine(memoryPorts())
    await expect(untimed.scrub({ bytesPerSecond: 1 })).rejects.toMatchObject({ code: 'InvalidArgument' })
    for (const bytesPerSecond of [0, -1, Number.NaN]) {
      await expect(store.scrub({ bytesPerSecond })).rejects.toMatchObject({ code: 'InvalidArgument' })
    }
    for (const from of [
      { stage: 'log', after: 'zz' },
      { stage: 'bytes', after: 'xyz' },
      { stage: 'past', after: '' },
    ]) {
      await expect(store.scrub({ from: from as ScrubPosition })).rejects.toMatchObject({ code: 'InvalidArgument' })
    }
  })
})

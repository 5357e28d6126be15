import { beforeEach, describe, expect, it } from 'vitest'
import { StorageError } from '../base/errors.ts'
import { ciphers, testKeyring } from '../encryption/ciphers.fixture.ts'
import { versionId } from '../naming/version-id.ts'
import { dataKeyTable, inlineTable } from '../views/tables.ts'
import { codeOf, list } from './answers.fixture.ts'
import { type MemoryPorts, memoryJournal, memoryPorts } from './memory-ports.fixture.ts'
import { SimulatedTime } from './simulated-time.fixture.ts'
import type { ObservedTime } from '../ports/index.ts'
import { type OpenOptions, openEngine, openForMaintenance, openForReading } from './open-engine.ts'
import type { Store } from './store.ts'
import type { EraseRequest } from './types/index.ts'

const forever = { keepMs: Number.MAX_SAFE_INTEGER }
const day = 24 * 3_600_000

let ports: MemoryPorts
let store: Store

beforeEach(async () => {
  ports = memoryPorts()
  await open()
  await store.buckets.create('box', { versioning: 'Enabled', settings: { ObjectLock: {} } })
  await store.buckets.create('plain')
})

async function open(options: OpenOptions = {}): Promise<void> {
  store = await openEngine(ports, { inlineMax: 0, retention: forever, ...options })
}

const put = (key: string, body: string, bucket = 'plain') => store.objects.put(bucket, key, body)
const remove = (key: string, bucket = 'plain') => store.objects.delete(bucket, key)
const blobs = (): number => ports.blobs.bytes.size
const at = async (seq: number, key: string, bucket = 'plain') =>
  (await (await store.at(seq)).objects.get(bucket, key)).text()

/** What was erased, what stays and why, without the rest. */
async function erase(request: Omit<EraseRequest, 'bucket'> & { readonly bucket?: string }) {
  const { entries, refused, requests: _requests, ...rest } = await store.erase({ bucket: 'plain', ...request })
  return {
    ...rest,
    erased: entries.map(({ key, seq }) => `${key} ${seq}`),
    refused: refused.map(({ key, seq, reason, snapshots = [] }) => [`${key} ${seq}`, reason, ...snapshots].join(' ')),
  }
}

async function expectWhole(): Promise<void> {
  expect((await store.verify({ scratch: memoryJournal() })).divergences).toEqual([])
}

describe('an erasure on purpose', () => {
  it('erases the bytes of all removed versions of a key at once, and of nothing else', async () => {
    const first = await put('secret', 'password')
    const second = await put('secret', 'password too')
    await put('secret', 'harmless')
    await put('other', 'other')
    await remove('other')
    expect(await erase({ key: 'secret' })).toEqual({
      erased: [`secret ${second.seq}`, `secret ${first.seq}`],
      refused: [expect.stringMatching(/^secret \d+ live$/) as string],
      erasedBefore: 0,
      pending: 0,
    })
    expect(blobs()).toBe(2)
    for (const { seq } of [first, second]) expect(await codeOf(at(seq, 'secret'))).toBe('ObjectErased')
    expect(await store.usage()).toMatchObject({ live: 8, kept: 5 })
    expect(await erase({ key: 'secret' })).toMatchObject({ erased: [], erasedBefore: 2 })
    await expectWhole()
  })

  it('leaves a receipt in the log: who had which versions erased, by which request', async () => {
    const { seq } = await put('secret', 'password')
    await remove('secret')
    const ann = { id: 'ann', name: 'Ann' }
    await store.as({ by: ann, requestId: 'the-request' }).erase({ bucket: 'plain', key: 'secret' })
    const events = (await list(store.log())).slice(-3)
    expect(events).toMatchObject([
      {
        type: 'ErasureRequested',
        by: ann,
        requestId: 'the-request',
        data: { bucket: 'plain', versions: [{ key: 'secret', version: seq }] },
      },
      {
        type: 'ErasureStarted',
        by: ann,
        requestId: 'the-request',
        data: { contents: [{ freedBy: seq + 1, index: 0 }] },
      },
      { type: 'ContentsErased' },
    ])
  })

  it('shows what it would erase, and changes nothing', async () => {
    const { seq } = await put('a', 'one')
    await remove('a')
    const before = store.seq
    expect(await erase({ key: 'a', dryRun: true })).toMatchObject({ erased: [`a ${seq}`], pending: 0 })
    expect(store.seq).toBe(before)
    expect(await at(seq, 'a')).toBe('one')
  })

  it('takes the keys beneath a prefix, and all keys with an empty one', async () => {
    for (const key of ['a/1', 'a/2', 'b']) {
      await put(key, key)
      await remove(key)
    }
    expect((await erase({ prefix: 'a/' })).erased).toHaveLength(2)
    expect((await erase({ prefix: '' })).erased).toHaveLength(1)
    expect(blobs()).toBe(0)
  })

  it('takes chosen versions, by their ids or by their positions', async () => {
    const made = []
    for (const body of ['1', '2', '3', '4']) made.push(await put('k', body, 'box'))
    const [one, two, three, four] = made as [(typeof made)[0], (typeof made)[0], (typeof made)[0], (typeof made)[0]]
    for (const each of made) await store.versions.delete('box', 'k', each.versionId)
    const bucket = 'box'
    expect((await erase({ bucket, key: 'k', versions: [one.versionId] })).erased).toEqual([`k ${one.seq}`])
    expect((await erase({ bucket, key: 'k', versions: [two.seq, three.versionId] })).erased).toEqual([
      `k ${three.seq}`,
      `k ${two.seq}`,
    ])
    expect(await at(four.seq, 'k', 'box')).toBe('4')
    const [first, second] = [await put('n', 'null 1'), await put('n', 'null 2')]
    await remove('n')
    const id = versionId({ seq: second.seq, epoch: undefined, nullVersion: false })
    expect((await erase({ key: 'n', versions: [id] })).erased).toEqual([`n ${second.seq}`])
    expect((await erase({ key: 'n', versions: ['null'] })).erased).toEqual([`n ${first.seq}`])
  })

  it('works in a bucket that was deleted, and for each bucket of the name', async () => {
    await put('a', 'one')
    await remove('a')
    await store.buckets.delete('plain')
    await store.buckets.create('plain')
    await put('a', 'two')
    await remove('a')
    await store.buckets.delete('plain')
    expect((await erase({ key: 'a' })).erased).toHaveLength(2)
    expect(blobs()).toBe(0)
  })

  it.each([
    [{ key: 'a', prefix: 'b' }, 'InvalidArgument'],
    [{}, 'InvalidArgument'],
    [{ prefix: 'a', versions: ['null'] }, 'InvalidArgument'],
    [{ key: 'a', versions: [0] }, 'InvalidArgument'],
    [{ key: 'a', versions: ['none'] }, 'NoSuchVersion'],
    [{ key: 'a', versions: [1] }, 'NoSuchVersion'],
    [{ key: 'mistyped' }, 'NoSuchKey'],
    [{ key: 'mistyped', dryRun: true, live: true }, 'NoSuchKey'],
    [{ key: 'a', live: 1 }, 'InvalidArgument'],
    [{ bucket: 'absent', key: 'a' }, 'NoSuchBucket'],
  ])('is refused with %j', async (request, code) => {
    await put('a', 'one')
    const { seq } = store
    expect(await codeOf(erase(request as never))).toBe(code)
    expect(store.seq).toBe(seq)
  })

  it('has nothing to erase for delete markers and for empty objects', async () => {
    await put('empty', '')
    await remove('empty')
    await remove('marker', 'box')
    expect(await erase({ prefix: '' })).toEqual({ erased: [], refused: [], erasedBefore: 0, pending: 0 })
    expect(await erase({ bucket: 'box', prefix: '' })).toMatchObject({ erased: [] })
    expect(await erase({ key: 'empty' })).toMatchObject({ erased: [] })
    expect(await erase({ bucket: 'box', key: 'marker' })).toMatchObject({ erased: [] })
  })

  it('erases inline bytes and data keys, and all parts of an object', async () => {
    await store.close()
    const sealed = { ...ports, ciphers, keyring: testKeyring('master') }
    store = await openEngine(sealed, { inlineMax: 100, retention: forever })
    await store.objects.put('plain', 'k', 'secret', { encryption: { mode: 'AES256' } })
    const upload = await store.uploads.create('plain', 'parts')
    await store.uploads.complete(upload, [await store.uploads.uploadPart(upload, 1, 'p'.repeat(300))])
    for (const key of ['k', 'parts']) await remove(key)
    const rows = (range: { readonly gte: Uint8Array }) =>
      [...ports.journal.rows.values()].filter(([key]) => key[0] === range.gte[0]).length
    expect([rows(inlineTable.range), rows(dataKeyTable.range), blobs()]).toEqual([1, 1, 1])
    expect((await erase({ prefix: '' })).erased).toHaveLength(2)
    expect([rows(inlineTable.range), rows(dataKeyTable.range), blobs()]).toEqual([0, 0, 0])
    await expectWhole()
  })

  it('erases more versions than one commit takes, and reports its progress', async () => {
    await Promise.all(Array.from({ length: 300 }, (_, i) => put(`k${i}`, 'x')))
    await Promise.all(Array.from({ length: 300 }, (_, i) => remove(`k${i}`)))
    const seen: number[] = []
    const { erased } = await erase({ prefix: 'k', onProgress: ({ done, total }) => void seen.push(done, total) })
    expect(erased).toHaveLength(300)
    expect(seen).toEqual([250, 300, 300, 300])
    expect(blobs()).toBe(0)
  })
})

describe('bytes that something needs', () => {
  it('stay for snapshots, which are named', async () => {
    const { seq } = await put('a', 'one')
    await store.snapshots.create('one')
    await store.snapshots.create('two', { bucket: 'plain' })
    await store.snapshots.create('elsewhere', { bucket: 'box' })
    await remove('a')
    await store.snapshots.create('later')
    expect(await erase({ key: 'a' })).toMatchObject({ erased: [], refused: [`a ${seq} snapshot one two`] })
    await store.snapshots.delete('one')
    await store.snapshots.delete('two')
    await store.sweep()
    expect((await erase({ key: 'a' })).erased).toEqual([`a ${seq}`])
    expect(await codeOf(at(seq, 'a'))).toBe('ObjectErased')
  })

  it('stay for a snapshot of a moment before their removal', async () => {
    const { seq } = await put('a', 'one')
    await remove('a')
    await store.snapshots.create('past', { at: seq })
    expect((await erase({ key: 'a' })).refused).toEqual([`a ${seq} snapshot past`])
    expect(await at(seq, 'a')).toBe('one')
  })

  it('stay for copies that exist; copies that were removed lose them too', async () => {
    const { seq } = await put('a', 'one')
    await store.objects.copy({ bucket: 'plain', key: 'a' }, 'plain', 'copy')
    await remove('a')
    expect((await erase({ key: 'a' })).refused).toEqual([`a ${seq} copy`])
    const copied = store.seq - 1
    await remove('copy')
    expect((await erase({ key: 'a' })).erased).toEqual([`a ${seq}`])
    expect(await codeOf(at(copied, 'copy'))).toBe('ObjectErased')
    await expectWhole()
  })

  it('stay for a copy that was first, or the copy is refused', async () => {
    const outcomes = new Set<string>()
    for (const wait of [0, 1, 2, 4, 8, 16, 32]) {
      const key = `a${wait}`
      const { seq } = await put(key, 'one')
      await remove(key)
      const copied = codeOf(store.objects.copy({ bucket: 'plain', key, at: seq }, 'plain', `${key} copy`))
      for (let i = 0; i < wait; i++) await Promise.resolve()
      const { erased, refused } = await erase({ key })
      const code = await copied
      outcomes.add(`${String(code)} ${erased.length} ${refused.map((line) => line.split(' ').at(-1)).join('')}`)
      if (code === 'no error') expect(await (await store.objects.get('plain', `${key} copy`)).text()).toBe('one')
    }
    for (const outcome of outcomes)
      expect(['ObjectErased 1 ', 'no error 0 changed', 'no error 0 copy']).toContain(outcome)
    expect(outcomes.size).toBeGreaterThan(1)
    await expectWhole()
  })
})

describe('versions that exist', () => {
  it('are erased only with `live`, which removes them first', async () => {
    const one = await put('k', 'one', 'box')
    const two = await put('k', 'two', 'box')
    const bucket = 'box'
    expect(await erase({ bucket, key: 'k' })).toMatchObject({
      erased: [],
      refused: [`k ${two.seq} live`, `k ${one.seq} live`],
    })
    expect((await store.erase({ bucket, key: 'k', versions: [two.versionId], live: true })).entries).toMatchObject([
      { key: 'k', versionId: two.versionId, size: 3, live: true },
    ])
    expect(await store.objects.get('box', 'k').then((got) => got.text())).toBe('one')
    expect(await codeOf(at(two.seq, 'k', 'box'))).toBe('ObjectErased')
    expect(await codeOf(erase({ key: 'n', live: true }))).toBe('NoSuchKey')
    const nulls = await put('n', 'null')
    expect((await erase({ key: 'n', live: true })).erased).toEqual([`n ${nulls.seq}`])
    expect(await codeOf(store.objects.head('plain', 'n'))).toBe('NoSuchKey')
    await expectWhole()
  })

  it('stay if a lock or a snapshot protects them, and are not removed', async () => {
    const until = Date.now() + 1e12
    const locked = await store.objects.put('box', 'locked', 'x', { retention: { mode: 'GOVERNANCE', until } })
    const held = await store.objects.put('box', 'held', 'y', { legalHold: 'ON' })
    const shown = await put('shown', 'z', 'box')
    await store.snapshots.create('s', { at: shown.seq })
    await store.objects.annotate('box', 'shown', { kind: 'tags', value: [{ key: 'a', value: 'b' }] })
    expect(await erase({ bucket: 'box', prefix: '', live: true })).toMatchObject({
      erased: [],
      refused: [`held ${held.seq} legalHold`, `locked ${locked.seq} retention`, `shown ${shown.seq} snapshot s`],
    })
    for (const key of ['held', 'locked', 'shown']) expect(await codeOf(store.objects.head('box', key))).toBe('no error')
  })

  it('stay while a lock may hold because the clock is in doubt', async () => {
    const clock = new SimulatedTime()
    let kept: ObservedTime | undefined
    const time = { read: async () => kept, write: async (next: ObservedTime) => void (kept = next) }
    ports = { ...memoryPorts(), clock, time } as never
    await open({ observesTime: true })
    await store.buckets.create('box', { versioning: 'Enabled', settings: { ObjectLock: {} } })
    const retention = { mode: 'COMPLIANCE', until: clock.now() + 300 * day } as const
    await store.objects.put('box', 'locked', 'x', { retention })
    await store.close()
    clock.sleep(400 * day)
    await open({ observesTime: true })
    const everything = { bucket: 'box', prefix: '', live: true }
    expect((await erase(everything)).refused).toEqual([expect.stringMatching(/^locked \d+ retention$/) as string])
    await store.clock.accept()
    expect((await erase(everything)).erased).toHaveLength(1)
  })

  it('of which some are copies go together, or not at all', async () => {
    await put('a', 'one')
    await store.objects.copy({ bucket: 'plain', key: 'a' }, 'plain', 'b')
    await store.objects.copy({ bucket: 'plain', key: 'a' }, 'box', 'c')
    expect((await erase({ prefix: '', live: true })).refused.map((line) => line.replace(/\d+ /, ''))).toEqual([
      'a copy',
      'b copy',
    ])
    expect(await codeOf(store.objects.head('plain', 'a'))).toBe('no error')
    await store.objects.delete('box', 'c', { versionId: (await store.objects.head('box', 'c')).versionId })
    expect((await erase({ prefix: '', live: true })).erased).toHaveLength(2)
    expect(blobs()).toBe(0)
    await expectWhole()
  })
})

describe('a version that exists, whose bytes something else needs before the commit', () => {
  const waits = [0, 1, 2, 4, 8, 16, 32, 64]

  it.each([
    {
      name: 'a copy',
      use: (key: string) => store.objects.copy({ bucket: 'plain', key }, 'plain', `${key} copy`),
    },
    { name: 'a snapshot', use: (key: string) => store.snapshots.create(key) },
    {
      name: 'a legal hold',
      bucket: 'box',
      use: (key: string) => store.objects.annotate('box', key, { kind: 'legalHold', value: 'ON' }),
    },
  ])('is erased, or it stays: $name', async ({ use, bucket = 'plain' }) => {
    const outcomes = new Set<number>()
    for (const wait of waits) {
      const key = `a${wait}`
      await put(key, 'one', bucket)
      const erasing = erase({ bucket, key, live: true })
      for (let i = 0; i < wait; i++) await Promise.resolve()
      const used = codeOf(use(key))
      const { erased, refused } = await erasing
      await used
      outcomes.add(erased.length)
      expect(erased.length + refused.length).toBe(1)
      expect(await codeOf(store.objects.head(bucket, key))).toBe(erased.length === 1 ? 'NoSuchKey' : 'no error')
    }
    expect(outcomes).toEqual(new Set([0, 1]))
    await expectWhole()
  })
})

describe('versions of one key', () => {
  it('go in one commit, and the newest that stays is the object', async () => {
    const made = []
    for (const body of ['1', '2', '3', '4']) made.push(await put('k', body, 'box'))
    await put('other', 'x', 'box')
    const versions = [made[3]?.seq, made[2]?.seq, made[0]?.seq].filter((seq) => seq !== undefined)
    const before = store.seq
    expect((await erase({ bucket: 'box', key: 'k', versions, live: true })).erased).toHaveLength(3)
    const events = (await list(store.log({ from: before + 1 }))).map(({ type }) => type)
    const removed = Array.from({ length: 3 }, () => 'VersionRemoved')
    expect(events).toEqual([...removed, 'ErasureRequested', 'ErasureStarted', 'ContentsErased'])
    expect(await store.objects.get('box', 'k').then((got) => got.text())).toBe('2')
    await expectWhole()
  })

  it('lose bytes that a version which exists has again, if that is chosen too', async () => {
    const { seq } = await put('k', 'one')
    await remove('k')
    await store.objects.copy({ bucket: 'plain', key: 'k', at: seq }, 'plain', 'k')
    expect((await erase({ key: 'k' })).erased).toEqual([])
    expect((await erase({ key: 'k', live: true })).erased).toHaveLength(2)
    expect(blobs()).toBe(0)
    await expectWhole()
  })

  it('go together, however many share their bytes', async () => {
    await put('k', 'one')
    for (let i = 0; i < 300; i++) await store.objects.copy({ bucket: 'plain', key: 'k' }, 'plain', `k${i}`)
    expect((await erase({ prefix: 'k', live: true })).erased).toHaveLength(301)
    expect(blobs()).toBe(0)
    await expectWhole()
  })
})

describe('an erasure of what a sweep has erased before', () => {
  it('is in the log like any other, so that copies of the log carry it out, and only once', async () => {
    ports = memoryPorts()
    await open({ retention: { keepMs: 0 } })
    await store.buckets.create('plain')
    const one = await put('a', 'one')
    await store.objects.copy({ bucket: 'plain', key: 'a' }, 'plain', 'b')
    for (const key of ['a', 'b']) await remove(key)
    await store.sweep()
    const before = store.seq
    const done = await store.as({ by: { id: 'ann', name: 'Ann' } }).erase({ bucket: 'plain', prefix: '' })
    expect(done).toMatchObject({ entries: [], erasedBefore: 2, pending: 0, requests: [before + 1] })
    const events = await list(store.log({ from: before + 1 }))
    expect(events).toMatchObject([
      {
        type: 'ErasureRequested',
        by: { id: 'ann' },
        data: { versions: [{ key: 'a', version: one.seq }, { key: 'b' }] },
      },
      { type: 'ErasureStarted' },
      { type: 'ContentsErased', data: { erased: [{ content: { kind: 'blob' } }, { content: { kind: 'blob' } }] } },
    ])
    expect(await erase({ prefix: '' })).toMatchObject({ erasedBefore: 2 })
    expect(store.seq).toBe(before + 3)
    await expectWhole()
  })
})

describe('an erasure that does not end at once', () => {
  it('waits for a read that uses the bytes, and nothing can use them any more', async () => {
    const long = 'x'.repeat(3 << 20)
    const { seq } = await put('a', long)
    const reading = await store.objects.get('plain', 'a')
    await remove('a')
    expect(await erase({ key: 'a' })).toMatchObject({ erased: [`a ${seq}`], pending: 1 })
    expect(await erase({ key: 'a' })).toMatchObject({ erased: [], erasedBefore: 1, pending: 1 })
    expect(blobs()).toBe(1)
    expect(await codeOf(store.objects.copy({ bucket: 'plain', key: 'a', at: seq }, 'plain', 'b'))).toBe('ObjectErased')
    expect((await reading.text()) === long).toBe(true)
    await store.sweep()
    expect(blobs()).toBe(0)
    await expectWhole()
  })

  it('is ended by the next sweep, or by the next opening, if the bytes could not be deleted', async () => {
    await put('a', 'one')
    await put('b', 'two')
    for (const key of ['a', 'b']) await remove(key)
    const { delete: deleteBlobs } = ports.blobs
    const failing = () => {
      ports.blobs.delete = () => Promise.reject(new StorageError('BlobFailed', 'The medium is busy.'))
    }
    failing()
    expect(await codeOf(store.erase({ bucket: 'plain', key: 'a' }))).not.toBe('no error')
    ports.blobs.delete = deleteBlobs
    await store.close().catch(() => undefined)
    await open()
    await store.sweep()
    expect(blobs()).toBe(1)
    await expectWhole()
  })

  it('is refused by a store that is open for reading, but for a dry run', async () => {
    await put('a', 'one')
    await remove('a')
    await store.close()
    const reading = await openForReading(ports)
    expect(await codeOf(reading.erase({ bucket: 'plain', key: 'a' }))).toBe('ReadOnly')
    expect((await reading.erase({ bucket: 'plain', key: 'a', dryRun: true })).entries).toHaveLength(1)
    await reading.close()
  })
})

describe('a store that is open for maintenance', () => {
  it('erases what it is requested to, and nothing that the retention has due', async () => {
    await put('a', 'one')
    await put('due', 'due')
    for (const key of ['a', 'due']) await remove(key)
    await store.retention.set({ keepMs: day })
    await store.close()
    ports.clock.time += 400 * day
    store = await openForMaintenance(ports, { inlineMax: 0 })
    expect((await erase({ key: 'a' })).erased).toHaveLength(1)
    expect(blobs()).toBe(1)
    await expectWhole()
  })
})

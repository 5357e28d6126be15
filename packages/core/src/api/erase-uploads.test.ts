/** Erasing the bytes of uploads on purpose: what no version ever had. */
import { beforeEach, describe, expect, it } from 'vitest'
import { ciphers, testKeyring } from '../encryption/ciphers.fixture.ts'
import { checkErasure } from '../proofs/check-erasure.ts'
import { dataKeyTable, inlineTable } from '../views/tables.ts'
import { codeOf, list } from './answers.fixture.ts'
import { fixtureSigner, verifySignature } from './log-signer.fixture.ts'
import { hashing, memoryJournal, memoryPorts } from './memory-ports.fixture.ts'
import { type OpenOptions, openEngine } from './open-engine.ts'
import type { Store } from './store.ts'
import type { EraseRequest, UploadInfo } from './types/index.ts'

const makePorts = () => ({ ...memoryPorts(), signer: fixtureSigner(), ciphers, keyring: testKeyring('master') })
const forever = { keepMs: Number.MAX_SAFE_INTEGER }

const short = 'secret!'
const long = 'secret, and longer than a row'

let ports: ReturnType<typeof makePorts>
let store: Store

const open = (options: OpenOptions = {}) => openEngine(ports, { inlineMax: 16, retention: forever, ...options })

beforeEach(async () => {
  ports = makePorts()
  store = await open()
  for (const bucket of ['box', 'other']) await store.buckets.create(bucket)
})

const start = (key: string, bucket = 'box') => store.uploads.create(bucket, key)
const add = (upload: UploadInfo, number: number, body: string) => store.uploads.uploadPart(upload, number, body)
const onMedium = (): string =>
  [...ports.blobs.bytes.values(), ...[...ports.journal.rows.values()].map(([, frame]) => frame)]
    .map((bytes) => Buffer.from(bytes).toString('latin1'))
    .join()
const typesSince = async (seq: number): Promise<readonly string[]> =>
  (await list(store.log({ from: seq + 1 }))).map(({ type }) => type)
/** What was erased and what stays, in short. */
async function erase(request: Omit<EraseRequest, 'bucket'> & { readonly bucket?: string }) {
  const { entries, refused, erasedBefore, pending } = await store.erase({ bucket: 'box', uploads: 'only', ...request })
  const named = (entry: (typeof entries)[number]) =>
    entry.kind === 'upload' ? `${entry.key} ${entry.seq} ${entry.parts}/${entry.size}` : `${entry.key} ${entry.seq}`
  return {
    erased: entries.map(named),
    refused: refused.map((entry) => `${named(entry)} ${entry.reason}`),
    erasedBefore,
    pending,
  }
}

async function expectWhole(): Promise<void> {
  expect((await store.verify({ scratch: memoryJournal() })).divergences).toEqual([])
}

const seqOf = async (upload: UploadInfo): Promise<number> => {
  for (const { seq, type, data, epoch } of await list(store.log())) {
    if (type !== 'UploadStarted') continue
    const { bucket, key } = data
    if ((await store.uploads.idOf({ bucket, key, upload: seq, epoch })) === upload.uploadId) return seq
  }
  throw new Error('The log has no such upload.')
}

/** Each way in which an upload has bytes that no version ever had, with the number and bytes of its parts. */
const ways: Record<
  string,
  { make: (upload: UploadInfo) => Promise<unknown>; erased: string; events: readonly string[] }
> = {
  'an upload in progress': {
    async make(upload) {
      await add(upload, 1, short)
      await add(upload, 2, long)
    },
    erased: `2/${short.length + long.length}`,
    events: ['UploadAborted', 'ErasureRequested', 'ErasureStarted', 'ContentsErased'],
  },
  'an upload in progress whose parts were replaced': {
    async make(upload) {
      for (const body of [short, long, 'harmless']) await add(upload, 1, body)
    },
    erased: `3/${short.length + long.length + 8}`,
    events: ['UploadAborted', 'ErasureRequested', 'ErasureStarted', 'ContentsErased'],
  },
  'an upload that was aborted': {
    async make(upload) {
      await add(upload, 1, short)
      await add(upload, 2, 'harmless')
      await add(upload, 2, long)
      await store.uploads.abort(upload)
    },
    erased: `3/${short.length + long.length + 8}`,
    events: ['ErasureRequested', 'ErasureStarted', 'ContentsErased'],
  },
  'an upload that was completed without some of its parts': {
    async make(upload) {
      await add(upload, 1, short)
      const part = await add(upload, 1, 'what is shown')
      await add(upload, 2, long)
      await store.objects.put('box', 'key', 'replaced by it')
      await store.uploads.complete(upload, [part])
    },
    erased: `2/${short.length + long.length}`,
    events: ['ErasureRequested', 'ErasureStarted', 'ContentsErased'],
  },
}

describe.each(Object.entries(ways))('%s', (_, { make, erased, events }) => {
  it('loses its bytes at once, and nothing else is touched', async () => {
    const upload = await start('key')
    const other = await start('key', 'other')
    await add(other, 1, 'other bytes')
    await make(upload)
    await store.snapshots.create('all')
    await store.buckets.fork('box', 'fork')
    const [before, shown] = [store.seq, await list(store.objects.list('box'))]
    expect(await erase({ key: 'key' })).toEqual({
      erased: [`key ${await seqOf(upload)} ${erased}`],
      refused: [],
      erasedBefore: 0,
      pending: 0,
    })
    expect(await typesSince(before)).toEqual(events)
    for (const secret of [short, long]) expect(onMedium()).not.toContain(secret)
    expect(await list(store.objects.list('box'))).toEqual(shown)
    for (const { key } of shown as readonly { readonly key: string }[])
      expect(await (await store.objects.get('box', key)).text()).toBe('what is shown')
    expect(await codeOf(add(upload, 3, short))).toBe('NoSuchUpload')
    await add(other, 2, 'more')
    expect(await list(store.uploads.listParts(other))).toHaveLength(2)
    expect(await store.usage({ bucket: 'box' })).toMatchObject({ uploads: 0 })
    await expectWhole()
  })

  it('is shown by a dry run, which changes nothing', async () => {
    const upload = await start('key')
    await make(upload)
    const { seq } = store
    expect((await erase({ key: 'key', dryRun: true })).erased).toEqual([`key ${await seqOf(upload)} ${erased}`])
    expect(store.seq).toBe(seq)
    expect(onMedium()).toContain(long)
  })

  it('is proven by a receipt', async () => {
    const upload = await start('key')
    await make(upload)
    const { receipt = '', requests } = await store.erase({ bucket: 'box', key: 'key', uploads: 'only', receipt: true })
    const { key } = await store.proofs.key()
    const checked = checkErasure({ hashing, verifySignature }, receipt, { key })
    const [gone] = (await list(store.log())).filter(({ type }) => type === 'ContentsErased')
    expect(checked).toMatchObject({
      requests: [{ seq: requests[0], bucket: 'box' }],
      versions: [],
      uploads: [{ bucket: 'box', key: 'key', seq: await seqOf(upload), erased: { seq: gone?.seq } }],
    })
    expect(await store.proofs.erasure(requests)).toMatchObject({ versions: 0, uploads: 1, pending: 0 })
  })

  it('is finished by the next opening if the process ends in between', async () => {
    const upload = await start('key')
    await make(upload)
    let isPurged = false
    ports.journal.purge = async () => isPurged
    expect((await erase({ key: 'key' })).pending).toBeGreaterThan(0)
    isPurged = true
    const later = await open()
    await later.sweep()
    for (const secret of [short, long]) expect(onMedium()).not.toContain(secret)
  })
})

describe('an erasure of uploads', () => {
  it('takes the keys beneath a prefix, by key and then by start, behind the versions', async () => {
    const [b, a2, c] = [await start('in/b'), await start('in/a'), await start('out/c')]
    const a3 = await start('in/a')
    for (const upload of [b, a2, c, a3]) await add(upload, 1, short)
    await store.objects.put('box', 'in/z', 'removed')
    await store.objects.delete('box', 'in/z')
    const seqs = await Promise.all([a2, a3, b].map(seqOf))
    const { erased } = await erase({ prefix: 'in/', uploads: true })
    expect(erased.slice(1)).toEqual(['in/a', 'in/a', 'in/b'].map((key, i) => `${key} ${seqs[i]} 1/${short.length}`))
    expect(erased[0]).toMatch(/^in\/z \d+$/)
    expect(await list(store.uploads.list('box'))).toMatchObject([{ key: 'out/c' }])
  })

  it('leaves uploads alone unless it is asked for them, and versions if it is asked for them alone', async () => {
    await store.objects.put('box', 'key', 'removed version')
    await store.objects.delete('box', 'key')
    await add(await start('key'), 1, long)
    expect((await erase({ key: 'key', uploads: false, dryRun: true })).erased).toHaveLength(1)
    expect((await erase({ key: 'key', uploads: 'only', dryRun: true })).erased).toHaveLength(1)
    expect((await erase({ key: 'key', uploads: true })).erased).toHaveLength(2)
    expect(onMedium()).not.toContain(long)
  })

  it('takes chosen uploads of the key by their ids, and leaves the others in progress', async () => {
    const [one, two, three] = [await start('key'), await start('key'), await start('key')]
    for (const upload of [one, two, three]) await add(upload, 1, long)
    await store.objects.put('box', 'key', 'removed')
    await store.objects.delete('box', 'key')
    await store.uploads.abort(three)
    const uploads = [one.uploadId, three.uploadId]
    const seqs = await Promise.all([one, three].map(seqOf))
    expect((await erase({ key: 'key', versions: [], uploads })).erased).toEqual(
      seqs.map((seq) => `key ${seq} 1/${long.length}`),
    )
    expect(await erase({ key: 'key', versions: [], uploads })).toMatchObject({ erased: [], erasedBefore: 2 })
    expect(await list(store.uploads.list('box'))).toMatchObject([{ uploadId: two.uploadId }])
    const { seq } = store
    for (const id of ['none', one.uploadId.slice(1), (await start('other')).uploadId])
      expect(await codeOf(erase({ key: 'key', uploads: [two.uploadId, id] }))).toBe('NoSuchUpload')
    expect(store.seq).toBe(seq + 1)
    expect((await erase({ key: 'key', uploads: [two.uploadId] })).erased).toHaveLength(2)
  })

  it('names its uploads by their ids, and says which are in progress', async () => {
    const upload = await start('key')
    await add(upload, 1, short)
    const { entries } = await store.erase({ bucket: 'box', key: 'key', uploads: true })
    expect(entries).toEqual([
      {
        kind: 'upload',
        key: 'key',
        uploadId: upload.uploadId,
        seq: await seqOf(upload),
        parts: 1,
        size: short.length,
        inProgress: true,
      },
    ])
  })

  it('leaves in the log who had them erased, by which request', async () => {
    const upload = await start('key')
    await add(upload, 1, short)
    const by = { id: 'ann', name: 'Ann' }
    const before = store.seq
    await store.as({ by, requestId: 'the-request' }).erase({ bucket: 'box', key: 'key', uploads: true })
    expect(await list(store.log({ from: before + 1 }))).toMatchObject([
      { type: 'UploadAborted', by, requestId: 'the-request', data: { bucket: 'box', key: 'key' } },
      { type: 'ErasureRequested', by, requestId: 'the-request', data: { bucket: 'box', versions: [] } },
      { type: 'ErasureStarted', by, data: { contents: [{ freedBy: before + 1, index: 0 }] } },
      { type: 'ContentsErased' },
    ])
  })

  it('counts uploads whose bytes were erased before', async () => {
    await add(await start('key'), 1, short)
    await erase({ key: 'key' })
    expect(await erase({ key: 'key' })).toEqual({ erased: [], refused: [], erasedBefore: 1, pending: 0 })
    const completed = await start('key')
    await store.uploads.complete(completed, [await add(completed, 1, short)])
    expect(await erase({ key: 'key' })).toMatchObject({ erased: [], erasedBefore: 1 })
    expect(onMedium()).toContain(short)
  })

  it('records the request for parts that a sweep has erased before, once', async () => {
    const [aborted, completed] = [await start('key'), await start('key')]
    for (const number of [1, 2]) for (const body of [short, long]) await add(aborted, number, body)
    await store.uploads.abort(aborted)
    await add(completed, 1, short)
    await store.uploads.complete(completed, [await add(completed, 1, 'what is shown')])
    await store.sweep()
    const before = store.seq
    expect(await erase({ key: 'key' })).toMatchObject({ erased: [], erasedBefore: 2, pending: 0 })
    expect(await list(store.log({ from: before + 1 }))).toMatchObject([
      { type: 'ErasureRequested', data: { versions: [] } },
      { type: 'ErasureStarted', data: { contents: { length: 4 } } },
      { type: 'ContentsErased', data: { erased: { length: 5 } } },
    ])
    const {
      erasedBefore,
      requests,
      receipt = '',
    } = await store.erase({ bucket: 'box', key: 'key', uploads: 'only', receipt: true })
    expect([erasedBefore, requests]).toEqual([2, [before + 4]])
    const { key } = await store.proofs.key()
    const { uploads } = checkErasure({ hashing, verifySignature }, receipt, { key })
    expect(uploads).toMatchObject([
      { aborted: true, erased: {} },
      { aborted: false, erased: {} },
    ])
    await erase({ key: 'key' })
    expect(store.seq).toBe(before + 6)
    await expectWhole()
  })

  it('purges from the files what a sweep has erased before, and says if reads keep it there', async () => {
    const [aborted, completed] = [await start('key'), await start('key')]
    for (const body of [short, long]) await add(aborted, 1, body)
    await store.uploads.abort(aborted)
    await add(completed, 1, short)
    await store.uploads.complete(completed, [await add(completed, 1, 'what is shown')])
    const open = await start('key')
    for (const body of [short, 'in progress']) await add(open, 1, body)
    await store.sweep()
    const purged: string[] = []
    let isFree = false
    ports.journal.purge = async (keys) => {
      for (const key of keys) purged.push(Buffer.from(key).toString('hex'))
      return isFree
    }
    const first = await erase({ key: 'key' })
    expect(first).toMatchObject({ erased: [expect.stringMatching(/ 1\/11$/)], erasedBefore: 2 })
    expect(first.pending).toBeGreaterThan(2)
    isFree = true
    await store.sweep()
    purged.length = 0
    expect(await erase({ key: 'key' })).toMatchObject({ erased: [], erasedBefore: 3, pending: 0 })
    expect(new Set(purged).size).toBe(4)
    expect(await (await store.objects.get('box', 'key')).text()).toBe('what is shown')
    await expectWhole()
  })

  it('erases data keys and inline bytes of parts', async () => {
    const upload = await store.uploads.create('box', 'key', { encryption: { mode: 'AES256' } })
    for (const body of [short, long, short]) await add(upload, 1, body)
    const rows = (range: { readonly gte: Uint8Array }) =>
      [...ports.journal.rows.values()].filter(([key]) => key[0] === range.gte[0]).length
    expect([rows(inlineTable.range), rows(dataKeyTable.range), ports.blobs.bytes.size]).toEqual([2, 3, 1])
    await erase({ prefix: '' })
    expect([rows(inlineTable.range), rows(dataKeyTable.range), ports.blobs.bytes.size]).toEqual([0, 0, 0])
    await expectWhole()
  })

  it('takes uploads of a bucket that was deleted, and of each bucket of the name', async () => {
    for (let i = 0; i < 2; i++) {
      await add(await start('key'), 1, long)
      await store.buckets.delete('box')
      await store.buckets.create('box')
    }
    await store.buckets.delete('box')
    const { erased, erasedBefore } = await erase({ key: 'key' })
    expect(erased.length + erasedBefore).toBe(2)
    expect(onMedium()).not.toContain(long)
    await expectWhole()
  })

  it('erases more uploads than one commit takes, and parts that were replaced more often', async () => {
    const often = await start('often')
    await Promise.all(Array.from({ length: 1100 }, () => add(often, 1, 'x')))
    await Promise.all(Array.from({ length: 260 }, (_, i) => start(`many/${i}`)))
    const seen: number[] = []
    const { erased } = await erase({ prefix: '', onProgress: ({ done, total }) => void seen.push(done, total) })
    expect(erased).toHaveLength(261)
    expect(seen).toEqual([250, 261, 261, 261])
    expect(await list(store.uploads.list('box'))).toEqual([])
    expect(await store.usage()).toMatchObject({ live: 0, kept: 0 })
    await expectWhole()
  })

  it('refuses a receipt for more contents than one has, before anything is erased', async () => {
    const often = await start('often')
    await Promise.all(Array.from({ length: 1001 }, () => add(often, 1, 'x')))
    const { seq } = store
    expect(await codeOf(erase({ key: 'often', receipt: true }))).toBe('InvalidRequest')
    expect(store.seq).toBe(seq)
  })

  it.each([
    [{ key: 'mistyped' }, 'NoSuchKey'],
    [{ key: 'mistyped', uploads: true }, 'NoSuchKey'],
    [{ key: 'never uploaded' }, 'NoSuchKey'],
    [{ key: 'never uploaded', uploads: true }, 'no error'],
    [{ prefix: 'mistyped' }, 'no error'],
    [{ bucket: 'absent', key: 'key' }, 'NoSuchBucket'],
    [{ bucket: 'absent', prefix: '' }, 'NoSuchBucket'],
    [{ key: 'key', uploads: 1 }, 'InvalidArgument'],
    [{ key: 'key', uploads: 'all' }, 'InvalidArgument'],
    [{ key: 'key', uploads: null }, 'InvalidArgument'],
    [{ key: 'key', versions: ['null'] }, 'InvalidArgument'],
    [{ key: 'key', uploads: [1] }, 'InvalidArgument'],
    [{ prefix: '', uploads: ['id'] }, 'InvalidArgument'],
  ])('answers %j with %s', async (request, code) => {
    await add(await start('key'), 1, short)
    await store.objects.put('box', 'never uploaded', 'x')
    const { seq } = store
    expect(await codeOf(erase(request as never))).toBe(code)
    expect(store.seq).toBe(seq)
  })
})

describe('an upload that is used meanwhile', () => {
  const waits = [0, 4, 16, 64, 128, 192, 256, 384, 512, 768, 1024, 2048]

  it.each([short, long])('gets no part whose body ends after it was aborted: %s', async (body) => {
    const upload = await start('key')
    let finish = (): void => undefined
    const rest = new Promise<void>((resolve) => (finish = resolve))
    let begin = (): void => undefined
    const begun = new Promise<void>((resolve) => (begin = resolve))
    async function* held() {
      begin()
      yield Buffer.from(body.slice(0, -1))
      await rest
      yield Buffer.from(body.slice(-1))
    }
    const adding = codeOf(store.uploads.uploadPart(upload, 1, held()))
    await begun
    expect((await erase({ key: 'key' })).erased).toHaveLength(1)
    finish()
    expect(await adding).toBe('NoSuchUpload')
    await store.sweep({ orphans: true })
    expect(onMedium()).not.toContain(body)
  })

  it('gets no part after it was aborted, and keeps none that came before', async () => {
    const codes = new Set<unknown>()
    for (const wait of waits) {
      for (const body of [short, long]) {
        const upload = await start('key')
        await add(upload, 1, body)
        const erasing = erase({ key: 'key' })
        for (let i = 0; i < wait; i++) await Promise.resolve()
        const adding = codeOf(add(upload, 1, body))
        expect((await erasing).refused).toEqual([])
        codes.add(await adding)
        await store.sweep()
        expect(onMedium()).not.toContain(body)
      }
    }
    expect(codes).toContain('NoSuchUpload')
    expect([...codes].every((code) => code === 'NoSuchUpload' || code === 'no error')).toBe(true)
    expect(ports.blobs.bytes.size).toBe(0)
    await expectWhole()
  })

  it('is completed or erased, not both', async () => {
    const outcomes = new Set<string>()
    for (const wait of waits) {
      const key = `key${wait}`
      const upload = await start(key)
      const part = await add(upload, 1, long)
      const erasing = erase({ key })
      for (let i = 0; i < wait; i++) await Promise.resolve()
      const completed = await codeOf(store.uploads.complete(upload, [part]))
      const { erased, refused } = await erasing
      outcomes.add(`${String(completed)} ${erased.length}`)
      expect(erased.length + refused.length).toBeLessThanOrEqual(1)
      if (completed === 'no error') expect(await (await store.objects.get('box', key)).text()).toBe(long)
      else expect(await codeOf(store.objects.head('box', key))).toBe('NoSuchKey')
    }
    for (const outcome of outcomes) expect(['no error 0', 'NoSuchUpload 1']).toContain(outcome)
    expect(outcomes.size).toBe(2)
    await expectWhole()
  })
})

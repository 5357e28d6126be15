/** `attachStore`: who can attach, what is carried, and what happens when the owner ends. */
import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Body, Store } from '@varve/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStore } from '../store/open-store.ts'
import { attachStore } from './attach-store.ts'
import type { AttachedStore } from './attached-store.ts'
import { startOwner } from './socket-owner.fixture.ts'

const scratch = scratchDirectory()
const mebibyte = 1024 * 1024

describe('attachStore', () => {
  it('refuses a directory that no process has open, and one that is not there', async () => {
    const dir = scratch.next()
    await expect(attachStore(dir)).rejects.toMatchObject({ code: 'StoreNotFound' })
    await (await openStore(dir)).close()
    await expect(attachStore(dir)).rejects.toMatchObject({ code: 'StoreClosed' })
    for (const [given, options] of [
      [5, {}],
      ['', {}],
      [dir, { answerMs: 0 }],
      [dir, { timeout: 5 }],
    ] as const)
      await expect(attachStore(given as never, options as never)).rejects.toMatchObject({ code: 'InvalidArgument' })
    const signal = AbortSignal.abort(new Error('enough'))
    await expect(attachStore(dir, { signal })).rejects.toThrow('enough')
  })

  // Only root can start a process as another user.
  it.runIf(process.getuid?.() === 0)('refuses another user with a code', async () => {
    const dir = scratch.next()
    const store = await openStore(dir)
    await chmod(dir, 0o755)
    const entry = fileURLToPath(new URL('../../dist/index.js', import.meta.url))
    const program = `import(process.argv[1]).then(({ attachStore }) => attachStore(process.argv[2]))
      .then(() => console.log('attached'), ({ code }) => console.log(code))`
    const run = promisify(execFile)
    const { stdout } = await run(process.execPath, ['-e', program, entry, dir], { uid: 65_534, gid: 65_534 })
    expect(stdout.trim()).toMatch(/^(AccessDenied|StoreClosed)$/)
    await store.close()
  })
})

describe('an attached store', () => {
  let store: Store
  let attached: AttachedStore

  beforeAll(async () => {
    store = await openStore(scratch.next(), { inlineMax: 100 })
    attached = await attachStore(store.dir ?? '')
    await attached.buckets.create('photos', { versioning: 'Enabled' })
  })
  afterAll(async () => {
    await attached.close()
    await store.close()
  })

  const bytesOf = async (key: string) => Buffer.from(await (await store.objects.get('photos', key)).bytes())

  it.each<readonly [string, () => Body, string]>([
    ['text', () => 'grün', 'grün'],
    ['bytes', () => Buffer.from('bytes'), 'bytes'],
    ['an ArrayBuffer', () => new TextEncoder().encode('buffer').buffer as ArrayBuffer, 'buffer'],
    ['a Blob', () => new Blob(['blob']), 'blob'],
    ['a File', () => new File(['file'], 'name'), 'file'],
    ['a web stream', () => new Blob(['web']).stream(), 'web'],
    ['the body of an answer', () => new Response('answer').body as ReadableStream<Uint8Array>, 'answer'],
    ['a Node stream', () => Readable.from([Buffer.from('no'), Buffer.from('de')]), 'node'],
    ['a list of pieces', () => ['a', Buffer.from('b')], 'ab'],
    ['nothing', () => '', ''],
  ])('stores %s', async (_, body, expected) => {
    const { size } = await attached.objects.put('photos', 'body', body())
    expect([size, String(await bytesOf('body'))]).toEqual([Buffer.byteLength(expected), expected])
    expect(await (await attached.objects.get('photos', 'body')).text()).toBe(expected)
  })

  it('stores chunks whose buffer is used again for the next one', async () => {
    async function* reusing() {
      const [short, long] = [new Uint8Array(1000), new Uint8Array(200_000)]
      for (let i = 0; i < 40; i++) {
        yield short.fill(i)
        yield long.fill(i)
      }
    }
    const expected = createHash('md5')
    for await (const chunk of reusing()) expected.update(chunk)
    const { etag } = await attached.objects.put('photos', 'reused', reusing())
    expect(etag).toBe(expected.digest('hex'))
  })

  it('compares the checksum that a function gives after the last byte', async () => {
    const sha256 = createHash('sha256').update('hello').digest('base64')
    const put = (expected: () => string | undefined) =>
      attached.objects.put('photos', 'checked', 'hello', { checksum: { algorithm: 'SHA256', expected } })
    expect((await put(() => sha256)).checksum).toMatchObject({ algorithm: 'SHA256', value: sha256 })
    expect((await put(() => undefined)).checksum).toMatchObject({ value: sha256 })
    await expect(put(() => createHash('sha256').digest('base64'))).rejects.toMatchObject({ code: 'BadDigest' })
    await expect(
      put(() => {
        throw new RangeError('no checksum')
      }),
    ).rejects.toThrow(new RangeError('no checksum'))
  })

  it('reads ranges, parts of the facts, and nothing when a condition fails', async () => {
    const { etag } = await attached.objects.put('photos', 'ranged', 'hello world', { metadata: { colour: 'grün' } })
    const part = await attached.objects.get('photos', 'ranged', { range: { first: 6 } })
    expect([await part.text(), part.range, part.metadata['colour']]).toEqual(['world', { start: 6, end: 11 }, 'grün'])
    const changed = attached.objects.get('photos', 'ranged', { ifNoneMatch: [etag] })
    await expect(changed).rejects.toMatchObject({ code: 'NotModified' })
    const later = attached.objects.head('photos', 'ranged', { ifModifiedSince: new Date(Date.now() + 5000) })
    await expect(later).rejects.toMatchObject({ code: 'NotModified' })
    const none = attached.objects.get('photos', 'ranged', { range: { first: 50 } })
    await expect(none).rejects.toMatchObject({ code: 'InvalidRange' })
  })

  it('carries the key of a client, and long names', async () => {
    const key = randomBytes(32)
    const sealed = await openStore(scratch.next())
    const own = await attachStore(sealed.dir ?? '')
    await own.buckets.create('photos')
    await own.objects.put('photos', 'sealed', 'secret', { encryption: { mode: 'SSE-C', key } })
    expect(await (await own.objects.get('photos', 'sealed', { customerKey: key })).text()).toBe('secret')
    await expect(own.objects.get('photos', 'sealed')).rejects.toMatchObject({ code: 'InvalidRequest' })
    await expect(own.objects.put('photos', 'x'.repeat(100_000), '')).rejects.toMatchObject({ code: 'KeyTooLongError' })
    await own.close()
    await sealed.close()
  })

  it('takes no more from a slow writer and to a slow reader than they hold', async () => {
    let given = 0
    async function* endless() {
      for (; given < 400; given++) yield new Uint8Array(mebibyte)
    }
    await attached.objects.put('photos', 'large', endless())
    const before = process.memoryUsage().rss
    const content = await attached.objects.get('photos', 'large')
    const reader = content.body[Symbol.asyncIterator]()
    await reader.next()
    await delay(300)
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * mebibyte)
    let size = 0
    for (let i = 0; i < 20; i++) size += (await reader.next()).value?.length ?? 0
    expect(size).toBeGreaterThan(0)
    await content.close()
    await expect(content.bytes()).rejects.toThrow(TypeError)
  })

  it('holds no connection for small objects that are never read', async () => {
    await attached.objects.put('photos', 'small', new Uint8Array(1000))
    for (let i = 0; i < 200; i++) await attached.objects.get('photos', 'small')
    expect((await attached.position()) > 0).toBe(true)
  })

  it('has the state, the jobs and the past of the store', async () => {
    const { storeId, layout } = store
    expect(await attached.status()).toEqual({ state: 'open', storeId, layout, seq: store.seq })
    expect((await attached.jobs()).map(({ name }) => name)).toEqual(store.jobs.map(({ name }) => name))
    const past = await attached.at(2)
    expect(await past.buckets.head('photos')).toMatchObject({ name: 'photos' })
    await expect(past.objects.get('photos', 'small')).rejects.toMatchObject({ code: 'NoSuchKey' })
    await expect(attached.at(1e6)).rejects.toMatchObject({ code: 'MomentOutOfRange' })
    await attached.retention.set({ keepMs: 60_000 })
    expect(await attached.retention.get()).toMatchObject({ keepMs: 60_000, statedBy: 'store' })
    expect(await attached.retention.remove({ bucket: 'photos' })).toMatchObject({ statedBy: 'store' })
  })

  it('acts under the actor and the request id that it is given', async () => {
    const ann = attached.as({ by: { id: 'ann', name: 'Ann' }, requestId: 'r1' })
    const { seq } = await ann.objects.put('photos', 'of-ann', '')
    for await (const event of attached.log({ from: seq, to: seq }))
      expect(event).toMatchObject({ by: { id: 'ann', name: 'Ann' }, requestId: 'r1' })
    expect(() => attached.as({ by: 'ann' } as never)).toThrow(expect.objectContaining({ code: 'InvalidArgument' }))
  })
})

describe('the end', () => {
  it('of the owner fails what is in progress, and what is called before the next one', async () => {
    const dir = scratch.next()
    const kill = await startOwner(dir)
    const attached = await attachStore(dir)
    await attached.buckets.create('photos')
    await attached.objects.put('photos', 'large', new Uint8Array(20 * mebibyte))
    const content = await attached.objects.get('photos', 'large')
    const stalled = attached.objects.put('photos', 'stalled', stalledBody())
    const followed = attached.log({ from: 100, follow: true })[Symbol.asyncIterator]().next()
    const ends = [expect(stalled).rejects, expect(followed).rejects].map((end) =>
      end.toMatchObject({ code: 'StoreClosed' }),
    )
    await delay(200)
    await kill()
    await Promise.all(ends)
    await expect(content.bytes()).rejects.toMatchObject({ code: 'StoreClosed' })
    await expect(attached.position()).rejects.toMatchObject({ code: 'StoreClosed' })
    const store = await openStore(dir)
    expect(await attached.objects.head('photos', 'large')).toMatchObject({ size: 20 * mebibyte })
    await expect(attached.objects.head('photos', 'stalled')).rejects.toMatchObject({ code: 'NoSuchKey' })
    await attached.close()
    await store.close()
  })

  it('of an owner with a socket elsewhere leads to the next one', async () => {
    const dir = join(scratch.next(), 'long'.repeat(30))
    await mkdir(dir, { recursive: true })
    const first = await openStore(dir)
    const attached = await attachStore(dir)
    await attached.buckets.create('photos')
    await first.close()
    await expect(attached.position()).rejects.toMatchObject({ code: 'StoreClosed' })
    const second = await openStore(dir)
    expect(await attached.buckets.head('photos')).toMatchObject({ name: 'photos' })
    await attached.close()
    await second.close()
  })

  it('of the attached store waits for its calls, ends its reads and stalled bodies, and refuses later calls', async () => {
    const store = await openStore(scratch.next())
    const attached = await attachStore(store.dir ?? '')
    await attached.buckets.create('photos')
    await attached.objects.put('photos', 'large', new Uint8Array(20 * mebibyte))
    const content = await attached.objects.get('photos', 'large')
    const followed = attached.log({ from: 100, follow: true })[Symbol.asyncIterator]().next()
    const ended = expect(followed).rejects.toMatchObject({ code: 'StoreClosed' })
    const stalled = attached.objects.put('photos', 'stalled', stalledBody())
    const cut = expect(stalled).rejects.toMatchObject({ code: 'StoreClosed' })
    await delay(100)
    const created = attached.buckets.create('other')
    await attached.close()
    expect(await created).toMatchObject({ name: 'other' })
    await Promise.all([ended, cut])
    await expect(content.bytes()).rejects.toMatchObject({ code: 'StoreClosed' })
    await expect(attached.position()).rejects.toMatchObject({ code: 'StoreClosed' })
    await attached.close()
    expect(store.state).toBe('open')
    await store.close()
  })
})

/** One chunk, and then nothing. */
const stalledBody = (): Body =>
  (async function* () {
    yield new Uint8Array(1000)
    await new Promise(() => undefined)
  })()

/** Files and streams in and out: through a store, as they are used. */
import { once } from 'node:events'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { file, memoryStore, type ObjectContent, toFile, toReadable, type Store } from '../index.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'

const scratch = scratchDirectory()
const large = Uint8Array.from({ length: 1_500_000 }, (_, i) => (i * 7) % 251)
let store: Store
let dir: string

beforeEach(async () => {
  store = await memoryStore()
  await store.buckets.create('photos')
  dir = scratch.next()
  await mkdir(dir)
})
afterEach(() => store.close())

const put = (bytes: Uint8Array) => store.objects.put('photos', 'a', bytes)
const got = (): Promise<ObjectContent> => store.objects.get('photos', 'a')

/** Content whose bytes end in an error half way. */
function broken(): Pick<ObjectContent, 'body' | 'close'> {
  async function* body() {
    yield large.subarray(0, 1000)
    throw new Error('the disk gave up')
  }
  return { body: body(), close: vi.fn(() => Promise.resolve()) }
}

describe('file', () => {
  it.each([
    ['an empty file', new Uint8Array()],
    ['a small file', large.subarray(0, 10)],
    ['a file of many chunks', large],
  ])('puts %s', async (_name, bytes) => {
    const path = join(dir, 'body')
    await writeFile(path, bytes)
    const { size } = await store.objects.put('photos', 'a', file(path))
    expect(size).toBe(bytes.length)
    expect(Buffer.compare(await (await got()).bytes(), bytes)).toBe(0)
  })

  it('uploads parts, and can be read again', async () => {
    const path = join(dir, 'body')
    await writeFile(path, large)
    const body = file(path)
    const upload = await store.uploads.create('photos', 'a')
    const parts = [await store.uploads.uploadPart(upload, 1, body), await store.uploads.uploadPart(upload, 1, body)]
    expect(parts[1]?.etag).toBe(parts[0]?.etag)
  })

  it('is not opened before it is read', async () => {
    const path = join(dir, 'later')
    const body = file(path)
    await writeFile(path, 'now it is there')
    await store.objects.put('photos', 'a', body)
    expect(await (await got()).text()).toBe('now it is there')
  })

  it('is refused with a code when it is missing or a directory, and nothing is stored', async () => {
    const missing = store.objects.put('photos', 'a', file(join(dir, 'missing')))
    await expect(missing).rejects.toMatchObject({ code: 'InvalidArgument', details: { errno: 'ENOENT' } })
    const directory = store.objects.put('photos', 'a', file(dir))
    await expect(directory).rejects.toMatchObject({ code: 'InvalidArgument', details: { errno: 'EISDIR' } })
    await expect(got()).rejects.toMatchObject({ code: 'NoSuchKey' })
  })
})

describe('toReadable', () => {
  it('streams the bytes', async () => {
    await put(large)
    expect(Buffer.compare(await buffer(toReadable(await got())), large)).toBe(0)
  })

  it('fails as the bytes do', async () => {
    await expect(buffer(toReadable(broken()))).rejects.toThrow('the disk gave up')
  })

  it('lets the bytes go when it is destroyed before the first of them', async () => {
    await put(large)
    const content = await got()
    const close = vi.spyOn(content, 'close')
    const stream = toReadable(content)
    stream.destroy()
    await once(stream, 'close')
    expect(close).toHaveBeenCalledTimes(1)
  })
})

describe('toFile', () => {
  it('writes the bytes and returns how many', async () => {
    await put(large)
    const path = join(dir, 'copy')
    expect(await toFile(await got(), path)).toBe(large.length)
    expect(Buffer.compare(await readFile(path), large)).toBe(0)
    expect(await readdir(dir)).toEqual(['copy'])
  })

  it('replaces what was there', async () => {
    await put(large.subarray(0, 3))
    const path = join(dir, 'copy')
    await writeFile(path, 'something longer')
    await toFile(await got(), path)
    expect(Buffer.compare(await readFile(path), large.subarray(0, 3))).toBe(0)
  })

  it('leaves what was there when the bytes fail half way, and lets them go', async () => {
    const path = join(dir, 'copy')
    await writeFile(path, 'the old one')
    const content = broken()
    await expect(toFile(content, path)).rejects.toThrow('the disk gave up')
    expect(await readFile(path, 'utf8')).toBe('the old one')
    expect(await readdir(dir)).toEqual(['copy'])
    expect(content.close).toHaveBeenCalled()
  })

  it('stops when its signal is aborted', async () => {
    await put(large)
    const path = join(dir, 'copy')
    const reason = new Error('enough')
    await expect(toFile(await got(), path, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(await readdir(dir)).toEqual([])
  })

  it('writes to a device without putting a file in its place', async () => {
    await put(large)
    expect(await toFile(await got(), '/dev/null')).toBe(large.length)
    expect((await import('node:fs')).statSync('/dev/null').isCharacterDevice()).toBe(true)
  })
})

describe('a source that always has more', () => {
  it.each([
    ['bytes', 'x'],
    ['nothing', ''],
  ])('of %s keeps no timer waiting, and can be stopped', async (_, value) => {
    const endless = { [Symbol.asyncIterator]: () => ({ next: async () => ({ value, done: false }) }) }
    const stop = new AbortController()
    const timer = setTimeout(() => stop.abort(new Error('enough')), 20)
    await expect(store.objects.put('photos', 'k', endless, { signal: stop.signal })).rejects.toThrow('enough')
    clearTimeout(timer)
  })
})

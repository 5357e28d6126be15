import { copyFile, mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BlobHandle, BlobStore } from '@varve/core'
import { blobStoreContract } from '@varve/core/contracts'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type MemoryBlobMedium, memoryBlobs } from '../blobs/memory-blobs.ts'
import { type FileCall, faultyFileSystem, systemError } from '../files/faulty-file-system.fixture.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { cachedBlobs, type CachedBlobsOptions } from './cached-blobs.ts'
import { chunkBytes, headerBytes, nameOf, placeOf } from './chunk-file.ts'

const scratch = scratchDirectory()
const plenty = 64 * chunkBytes
const id = (n: number) => `${(n * 7).toString(16).padStart(2, '0')}${n.toString(16).padStart(30, '0')}`
const opened: BlobStore[] = []
afterEach(() => Promise.all(opened.splice(0).map((blobs) => blobs.close())))

function bytesOf(size: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(size)
  for (let i = 0; i < size; i += 512) bytes[i] = seed + i / 512
  return bytes
}

interface Subject {
  readonly blobs: BlobStore
  readonly directory: string
  /** The chunks that were read from the blob store behind the cache. */
  readonly reads: () => number
  readonly opens: () => number
  reopen(options?: Partial<CachedBlobsOptions>): Promise<Subject>
}

async function open(options: Partial<CachedBlobsOptions> = {}, medium: MemoryBlobMedium = new Map()): Promise<Subject> {
  const directory = options.directory ?? scratch.next()
  const [inner, count] = [memoryBlobs(medium), { reads: 0, opens: 0 }]
  const behind: BlobStore = {
    ...inner,
    open: async (blob) => {
      count.opens++
      const handle = await inner.open(blob)
      const read: BlobHandle['read'] = async (into, start) => {
        count.reads++
        await new Promise((resolve) => setTimeout(resolve, 1))
        return handle.read(into, start)
      }
      return { ...handle, read }
    },
  }
  const blobs = await cachedBlobs(behind, { maxBytes: plenty, ...options, directory })
  opened.push(blobs)
  return {
    blobs,
    directory,
    reads: () => count.reads,
    opens: () => count.opens,
    async reopen(more) {
      await blobs.close()
      return open({ ...options, ...more, directory }, medium)
    },
  }
}

async function write({ blobs }: Subject, n: number, size: number): Promise<Uint8Array> {
  const bytes = bytesOf(size, n)
  await blobs.write(
    id(n),
    (async function* () {
      yield bytes
    })(),
  )
  return bytes
}

async function read({ blobs }: Subject, n: number): Promise<Uint8Array> {
  const handle = await blobs.open(id(n))
  const bytes = new Uint8Array(handle.size)
  await handle.read(bytes, 0)
  await handle.close()
  return bytes
}

const same = (one: Uint8Array, other: Uint8Array) => Buffer.compare(one, other) === 0

async function files({ directory }: Pick<Subject, 'directory'>): Promise<string[]> {
  const names = await readdir(join(directory, 'chunks'), { recursive: true })
  return names
    .filter((name) => name.includes('-'))
    .map((name) => join(directory, 'chunks', name))
    .sort()
}

const keptFiles = (subject: Subject, count: number) => expect.poll(() => files(subject)).toHaveLength(count)

describe('blobs through a cache', () => {
  const openFresh = async (maxBytes: number) => {
    const [medium, directory] = [new Map(), scratch.next()] as const
    const again = () => cachedBlobs(memoryBlobs(medium), { directory, maxBytes })
    return { instance: await again(), reopen: again }
  }
  for (const { name, run } of blobStoreContract) it(name, () => run(() => openFresh(plenty)))
  for (const { name, run } of blobStoreContract) it(`${name}, without room`, () => run(() => openFresh(0)))
})

describe('a cache of blobs', () => {
  it('asks for each chunk once, also after it was opened again', async () => {
    const subject = await open()
    const bytes = await write(subject, 1, 3 * chunkBytes + 5)
    expect(same(await read(subject, 1), bytes)).toBe(true)
    expect(subject.reads()).toBe(4)
    expect(same(await read(subject, 1), bytes)).toBe(true)
    expect([subject.reads(), subject.opens()]).toEqual([4, 1])
    const again = await subject.reopen()
    expect(same(await read(again, 1), bytes)).toBe(true)
    expect([again.reads(), again.opens()]).toEqual([0, 0])
  })

  it('sends one request for readers of the same piece at once, in whatever order they close', async () => {
    const subject = await open()
    const bytes = await write(subject, 1, chunkBytes)
    await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        const handle = await subject.blobs.open(id(1))
        const part = new Uint8Array(100)
        const reading = handle.read(part, n * 1000)
        if (n === 0) await handle.close()
        await reading
        await handle.close()
        expect(same(part, bytes.subarray(n * 1000, n * 1000 + 100))).toBe(true)
      }),
    )
    expect(subject.reads()).toBe(1)
  })

  it('stays within its budget and keeps what was used last, also with less room than before', async () => {
    const subject = await open({ maxBytes: 4.5 * chunkBytes })
    const all = [1, 2, 3, 4].map((n) => write(subject, n, chunkBytes))
    await Promise.all(all)
    for (const n of [1, 2, 3, 4]) {
      await read(subject, n)
      await read(subject, 1)
    }
    await keptFiles(subject, 4)
    await write(subject, 5, chunkBytes)
    await read(subject, 5)
    await keptFiles(subject, 4)
    const names = (await files(subject)).map((path) => placeOf(path.slice(path.lastIndexOf('/') + 1))?.id)
    expect(new Set(names)).toEqual(new Set([1, 3, 4, 5].map(id)))
    const again = await subject.reopen({ maxBytes: 2.5 * chunkBytes })
    expect((await files(again)).length).toBe(2)
  })

  const damages: readonly (readonly [string, (path: string, other: string) => Promise<unknown>])[] = [
    ['is gone', (path) => rm(path)],
    ['is empty', (path) => truncate(path, 0)],
    ['lacks its last byte', (path) => truncate(path, headerBytes + chunkBytes - 1)],
    ['is of another blob', (path, other) => copyFile(other, path)],
    ['is a directory', (path) => rm(path).then(() => mkdir(path))],
    ...[0, 5, 10, 25, 30, headerBytes, headerBytes + chunkBytes - 1].map(
      (at) => [`has another byte ${at}`, (path: string) => flip(path, at)] as const,
    ),
  ]
  it.each(damages)('fetches the bytes again when a file %s', async (_, damage) => {
    const subject = await open()
    const [bytes] = [await write(subject, 1, chunkBytes), await write(subject, 2, chunkBytes)]
    await read(subject, 1)
    await read(subject, 2)
    await keptFiles(subject, 2)
    const [one = '', two = ''] = await files(subject)
    await damage(one, two)
    expect(same(await read(subject, 1), bytes)).toBe(true)
    expect(subject.reads()).toBe(3)
    await damage(one, two).catch(() => undefined)
    const again = await subject.reopen()
    expect(same(await read(again, 1), bytes)).toBe(true)
  })

  it('removes what a crash left, and nothing outside its folder', async () => {
    const subject = await open()
    await write(subject, 1, chunkBytes)
    await read(subject, 1)
    await keptFiles(subject, 1)
    const [path = ''] = await files(subject)
    await subject.blobs.close()
    await truncate(path, 1000)
    await writeFile(join(path, '..', nameOf({ id: id(2), index: 0, size: 5 })), 'torn')
    await writeFile(join(path, '..', 'notes'), 'x')
    await writeFile(join(subject.directory, 'notes'), 'mine')
    const again = await subject.reopen()
    expect(await files(again)).toEqual([])
    expect(await readdir(join(path, '..'))).toEqual([])
    expect(await readFile(join(subject.directory, 'notes'), 'utf8')).toBe('mine')
  })

  it('drops deleted blobs, also those that are being read', async () => {
    const subject = await open()
    const bytes = await write(subject, 1, 2 * chunkBytes)
    await read(subject, 1)
    await keptFiles(subject, 2)
    const handle = await subject.blobs.open(id(1))
    await subject.blobs.delete([id(1)])
    await keptFiles(subject, 0)
    const rest = new Uint8Array(chunkBytes)
    await handle.read(rest, chunkBytes)
    expect(same(rest, bytes.subarray(chunkBytes))).toBe(true)
    await expect(subject.blobs.open(id(1))).rejects.toMatchObject({ code: 'BlobMissing' })
    await handle.close()

    await write(subject, 2, chunkBytes)
    const other = await subject.blobs.open(id(2))
    const reading = other.read(rest, 0)
    await subject.blobs.delete([id(2)])
    await reading
    await other.close()
    await subject.blobs.close()
    expect(await files(subject)).toEqual([])
  })

  it('passes on errors of the blob store, and asks again', async () => {
    const medium: MemoryBlobMedium = new Map()
    const subject = await open({}, medium)
    const bytes = await write(subject, 1, chunkBytes)
    const handle = await subject.blobs.open(id(1))
    const whole = medium.get(id(1)) as Uint8Array
    const failure = vi.spyOn(whole, 'subarray').mockImplementation(() => {
      throw new Error('away')
    })
    await expect(handle.read(new Uint8Array(10), 0)).rejects.toThrow('away')
    failure.mockRestore()
    await handle.close()
    expect(same(await read(subject, 1), bytes)).toBe(true)
  })
})

async function flip(path: string, at: number): Promise<void> {
  const bytes = await readFile(path)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  await writeFile(path, bytes)
}

describe('the directory of a cache', () => {
  it('belongs to one at a time', async () => {
    const { directory, blobs } = await open()
    await expect(open({ directory })).rejects.toMatchObject({ code: 'StoreLocked' })
    await blobs.close()
    await open({ directory })
  })

  it.each(['open', 'write', 'close', 'mkdir'])('may be full at every %s: then nothing is kept', async (operation) => {
    let isArmed = false
    const { fs } = faultyFileSystem((call: FileCall) => {
      if (isArmed && call.operation === operation) throw systemError('ENOSPC')
    })
    const subject = await open({ fs })
    const bytes = await write(subject, 1, 2 * chunkBytes)
    isArmed = true
    const readsOfOne = async () => {
      const before = subject.reads()
      expect(same(await read(subject, 1), bytes)).toBe(true)
      return subject.reads() - before
    }
    expect(await readsOfOne()).toBe(2)
    await expect.poll(readsOfOne).toBe(2)
    await keptFiles(subject, 0)
    // It is not tried again at once.
    expect(await readsOfOne()).toBe(2)
  })

  it('may fail each read: the bytes are fetched', async () => {
    let isArmed = false
    const { fs } = faultyFileSystem((call) => {
      if (isArmed && call.operation === 'read') throw systemError('EIO')
    })
    const subject = await open({ fs })
    const bytes = await write(subject, 1, chunkBytes)
    await read(subject, 1)
    await keptFiles(subject, 1)
    isArmed = true
    expect(same(await read(subject, 1), bytes)).toBe(true)
  })

  it('is private', async () => {
    const subject = await open()
    await write(subject, 1, 10)
    await read(subject, 1)
    await keptFiles(subject, 1)
    const [path = ''] = await files(subject)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  })

  it.each([
    [{ maxBytes: 1 }, 'options.directory'],
    [{ directory: 1, maxBytes: 1 }, 'options.directory'],
    [{ directory: 'x', maxBytes: -1 }, 'options.maxBytes'],
    [{ directory: 'x', maxBytes: '1' }, 'options.maxBytes'],
    [{ directory: 'x', maxBytes: 1, fs: {} }, 'options.fs'],
    [null, 'options'],
    [{ directory: 'x', maxBytes: 1, size: 1 }, 'options'],
  ])('is checked, with its options: %j', async (given, ArgumentName) => {
    const opening = cachedBlobs(memoryBlobs(), given as unknown as CachedBlobsOptions)
    await expect(opening).rejects.toMatchObject({ code: 'InvalidArgument', details: { ArgumentName } })
  })

  it('is of a blob store', async () => {
    for (const blobs of [null, {}, 'blobs', { open: 1 }]) {
      const opening = cachedBlobs(blobs as unknown as BlobStore, { directory: scratch.next(), maxBytes: 1 })
      await expect(opening).rejects.toMatchObject({ code: 'InvalidArgument' })
    }
  })
})

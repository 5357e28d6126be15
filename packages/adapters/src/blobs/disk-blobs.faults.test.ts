import { mkdir, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BlobId, BlobStore, ByteSource } from '@varve/core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  type FaultyFileSystem,
  type FileCall,
  failing,
  faultyFileSystem,
  systemError,
} from '../files/faulty-file-system.fixture.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { createBlobDirectories } from './create-blob-directories.ts'
import { type DiskBlobsOptions, diskBlobs } from './disk-blobs.ts'

const id = (n: number) => n.toString(16).padStart(32, '0')
const anyBlob = /^[0-9a-f]{32}$/
const anyShard = /^[0-9a-f]{2}$/
const parent = /^blobs$/

const scratch = scratchDirectory()
let directory = ''

beforeAll(async () => {
  directory = scratch.next()
  await mkdir(directory)
  await createBlobDirectories(directory)
})

interface Subject extends FaultyFileSystem {
  readonly blobs: BlobStore
}

async function open(
  judge: (call: FileCall) => unknown,
  options: DiskBlobsOptions = {},
  writeMax?: number,
): Promise<Subject> {
  let armed = false
  const faulty = faultyFileSystem((call) => (armed ? judge(call) : undefined), writeMax)
  const blobs = await diskBlobs(directory, { ...options, fs: faulty.fs })
  armed = true
  faulty.trace.length = 0
  return { ...faulty, blobs }
}

async function* bytesOf(size: number, chunkSize = 65_536): ByteSource {
  for (let at = 0; at < size; at += chunkSize) yield Buffer.alloc(Math.min(chunkSize, size - at), at / chunkSize)
}

async function leftovers(): Promise<readonly string[]> {
  const clean = await diskBlobs(directory)
  const ids = []
  for await (const blob of clean.list()) ids.push(blob)
  return [...ids, ...(await readdir(join(directory, 'tmp')))]
}

describe('a write of a blob', () => {
  it('is durable before it has a name, and its name before it is answered', async () => {
    const { blobs, trace, open: openFiles } = await open(() => undefined)
    const [first, second] = [id(0xab), id(0xac)]
    await blobs.write(first, bytesOf(10))
    const made = ['mkdir 00', 'open blobs', 'sync blobs', 'close blobs']
    const callsFor = (name: BlobId) => [
      ...['open', 'write', 'fstat', 'sync', 'close', 'rename'].map((operation) => `${operation} ${name}`),
      'open 00',
      'sync 00',
      'close 00',
    ]
    expect(trace.filter((line) => made.includes(line))).toEqual(made)
    expect(trace.filter((line) => !made.includes(line))).toEqual(callsFor(first))
    expect(trace.indexOf('close blobs')).toBeLessThan(trace.indexOf(`rename ${first}`))
    trace.length = 0
    await blobs.write(second, bytesOf(10))
    expect(trace).toEqual(callsFor(second))
    expect(openFiles()).toBe(0)
    expect((await stat(join(directory, 'blobs', '00', first))).mode & 0o777).toBe(0o600)
    await blobs.delete([first, second])
  })

  const steps = [
    ...['open', 'write', 'fstat', 'sync', 'close', 'rename'].map((step) => [step, 'the file', anyBlob] as const),
    ...['mkdir', 'open', 'sync', 'close'].map((step) => [step, 'its directory', anyShard] as const),
    ...['open', 'sync', 'close'].map((step) => [step, 'the parent of its directory', parent] as const),
  ]
  const errors = [
    ['EIO', 'BlobFailed'],
    ['EMFILE', 'TooManyOpenFiles'],
    ['EROFS', 'BlobFailed'],
    ['ENOSPC', 'NoSpace'],
    ['EDQUOT', 'NoSpace'],
    ['EFBIG', 'NoSpace'],
  ] as const

  it.each(steps)('that fails in %s of %s leaves nothing and repeats no fsync', async (operation, _, name) => {
    for (const [errno, code] of errors) {
      await rm(join(directory, 'blobs', '00'), { recursive: true, force: true })
      const { blobs, trace, open: openFiles } = await open(failing(operation, name, errno))
      await expect(blobs.write(id(1), bytesOf(300_000))).rejects.toMatchObject({ code, details: { errno } })
      const syncs = trace.filter((line) => line.startsWith('sync'))
      expect(new Set(syncs).size).toBe(syncs.length)
      expect(openFiles()).toBe(0)
      expect(await leftovers()).toEqual([])
    }
  })

  it('that fails can be made again, with a new file', async () => {
    const { blobs } = await open(failing('sync', anyBlob, 'EIO', 1))
    await expect(blobs.write(id(1), bytesOf(10))).rejects.toMatchObject({ code: 'BlobFailed' })
    expect(await blobs.write(id(1), bytesOf(10))).toBe(10)
    await blobs.delete([id(1)])
  })

  it('reports the first failure even when the clean-up fails too', async () => {
    const judge = failing('sync', anyBlob, 'EIO')
    const { blobs } = await open((call) => failing('unlink', anyBlob, 'EROFS')(call) ?? judge(call))
    await expect(blobs.write(id(1), bytesOf(10))).rejects.toMatchObject({ details: { errno: 'EIO' } })
    expect(await leftovers()).toEqual([id(1)])
    expect(await (await diskBlobs(directory)).discardUnfinished()).toBe(1)
  })

  it('goes on after a short write, and fails when no more is taken', async () => {
    const short = await open(() => undefined, {}, 70_001)
    expect(await short.blobs.write(id(1), bytesOf(300_000))).toBe(300_000)
    expect(short.trace.filter((line) => line.startsWith('write'))).toHaveLength(5)
    const handle = await short.blobs.open(id(1))
    expect(handle.size).toBe(300_000)
    const bytes = new Uint8Array(300_000)
    await handle.read(bytes, 0)
    for (const at of [0, 69_999, 70_000, 70_001, 140_003, 262_143, 262_144, 299_999]) {
      expect(bytes[at]).toBe(Math.floor(at / 65_536))
    }
    await handle.close()
    await short.blobs.delete([id(1)])
    const full = await open(({ operation }) => (operation === 'write' ? { bytesWritten: 0 } : undefined))
    await expect(full.blobs.write(id(3), bytesOf(100))).rejects.toMatchObject({ code: 'BlobFailed' })
    expect(await leftovers()).toEqual([])
  })

  it('detects a disk that reports a write it did not make', async () => {
    const { blobs } = await open(({ operation }) => (operation === 'write' ? { bytesWritten: 100 } : undefined))
    await expect(blobs.write(id(1), bytesOf(100))).rejects.toMatchObject({
      code: 'BlobFailed',
      details: { kind: 'size', size: 0, expected: 100 },
    })
    expect(await leftovers()).toEqual([])
  })

  it('is the last one when the fsync of a directory failed, for those under way too', async () => {
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const first = id(1)
    const { blobs } = await open(async ({ operation, name }) => {
      if (operation === 'sync' && name === first) await held
      if (operation === 'sync' && name === 'ff') throw systemError('EIO')
      return undefined
    })
    const underWay = blobs.write(first, bytesOf(10))
    await expect(blobs.write('f'.repeat(32), bytesOf(10))).rejects.toMatchObject({ details: { errno: 'EIO' } })
    release()
    await expect(underWay).rejects.toMatchObject({ code: 'BlobFailed', details: { kind: 'directory' } })
    await expect(blobs.write(id(2), bytesOf(10))).rejects.toMatchObject({ details: { kind: 'directory' } })
    expect(await leftovers()).toEqual([])
  })

  it('stops before it eats what the reserve keeps', async () => {
    let left = 3
    let spent = 0
    const reserve = {
      exhausted: async () => left-- <= 0,
      spend: (bytes: number) => {
        spent += bytes
      },
    }
    const { blobs } = await open(() => undefined, { reserve })
    await expect(blobs.write(id(1), bytesOf(5_000_000))).rejects.toMatchObject({ code: 'NoSpace' })
    expect(spent).toBe(3 * 256 * 1024)
    expect(await leftovers()).toEqual([])
  })

  it('gathers tiny chunks and holds no more than two buffers of a source that is faster than the disk', async () => {
    let taken = 0
    async function* source(): ByteSource {
      for (; taken < 8_000_000; taken += 1000) yield Buffer.alloc(1000)
    }
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const { blobs, trace } = await open(({ operation }) => (operation === 'write' ? held : undefined))
    const writing = blobs.write(id(1), source())
    for (let before = -1; before !== taken; ) {
      before = taken
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    expect(taken).toBeLessThanOrEqual(2 * 256 * 1024 + 1000)
    release()
    expect(await writing).toBe(8_000_000)
    expect(trace.filter((line) => line.startsWith('write'))).toHaveLength(Math.ceil(8_000_000 / (256 * 1024)))
    await blobs.delete([id(1)])
  })

  it.each([anyShard, parent])('that finds no handle for the directory %s is refused, and no other', async (name) => {
    for (const errno of ['EMFILE', 'ENFILE']) {
      const { blobs } = await open(failing('open', name, errno, 1))
      await expect(blobs.write(id(1), bytesOf(10))).rejects.toMatchObject({ code: 'TooManyOpenFiles' })
      expect(await leftovers()).toEqual([])
      expect(await blobs.write(id(1), bytesOf(10))).toBe(10)
      await blobs.delete([id(1)])
    }
  })

  it('is refused when as many blobs are open as may be, read or written', async () => {
    const { blobs, open: openFiles } = await open(() => undefined, { openMax: 3 })
    await blobs.write(id(1), bytesOf(10))
    const reads = [await blobs.open(id(1)), await blobs.open(id(1))]
    let finish = () => {}
    const reported = new Promise<void>((resolve) => (finish = resolve))
    async function* slow(): ByteSource {
      yield Buffer.alloc(10)
      await reported
    }
    const writing = blobs.write(id(2), slow())
    await expect.poll(openFiles).toBe(3)
    const refused = { code: 'TooManyOpenFiles' }
    await expect(blobs.write(id(3), bytesOf(10))).rejects.toMatchObject(refused)
    await expect(blobs.open(id(1))).rejects.toMatchObject(refused)
    expect(openFiles()).toBe(3)
    finish()
    await writing
    await (await blobs.open(id(1))).close()
    await reads[0]?.close()
    await reads[0]?.close()
    await expect(blobs.open(id(9))).rejects.toMatchObject({ code: 'BlobMissing' })
    for (const handle of [...reads, await blobs.open(id(1)), await blobs.open(id(1))]) await handle.close()
    expect(openFiles()).toBe(0)
    await blobs.delete([id(1), id(2)])
  })

  it('is stopped when the store is closed, however long its source would take', async () => {
    const { blobs, open: openFiles } = await open(() => undefined)
    async function* stalled(): ByteSource {
      yield Buffer.alloc(10)
      await new Promise<never>(() => undefined)
    }
    const writing = blobs.write(id(1), stalled()).catch((error: unknown) => error)
    await new Promise((resolve) => setTimeout(resolve, 20))
    await blobs.close()
    expect(await writing).toMatchObject({ code: 'StoreClosed' })
    expect(openFiles()).toBe(0)
    expect(await leftovers()).toEqual([])
    await expect(blobs.write(id(1), bytesOf(1))).rejects.toMatchObject({ code: 'StoreClosed' })
    await expect(blobs.open(id(1))).rejects.toMatchObject({ code: 'StoreClosed' })
  })
})

describe('a read of a blob', () => {
  it.each([
    ['EMFILE', 'TooManyOpenFiles'],
    ['EIO', 'BlobFailed'],
    ['EACCES', 'BlobFailed'],
    ['ENOTDIR', 'BlobFailed'],
  ])('never calls %s missing', async (errno, code) => {
    for (const operation of ['open', 'fstat', 'read']) {
      const { blobs, open: openFiles } = await open(failing(operation, anyBlob, errno))
      await (await diskBlobs(directory)).write(id(1), bytesOf(10))
      const read = async () => {
        const handle = await blobs.open(id(1))
        try {
          await handle.read(new Uint8Array(10), 0)
        } finally {
          await handle.close()
        }
      }
      await expect(read()).rejects.toMatchObject({ code, details: { errno } })
      expect(openFiles()).toBe(0)
    }
    await (await diskBlobs(directory)).delete([id(1)])
  })

  it('fails when the file was cut short under it', async () => {
    const { blobs } = await open(() => undefined)
    await blobs.write(id(1), bytesOf(1000))
    const handle = await blobs.open(id(1))
    await truncate(join(directory, 'blobs', '00', id(1)), 400)
    const read = handle.read(new Uint8Array(1000), 0)
    await expect(read).rejects.toMatchObject({ code: 'BlobFailed', details: { at: 400, end: 1000 } })
    await handle.close()
    await blobs.delete([id(1)])
  })

  it('takes an offset that is none for a mistake', async () => {
    const { blobs } = await open(() => undefined)
    await blobs.write(id(1), bytesOf(10))
    const handle = await blobs.open(id(1))
    for (const start of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      await expect(handle.read(new Uint8Array(2), start)).rejects.toThrow(TypeError)
    }
    await handle.close()
    await blobs.delete([id(1)])
  })
})

describe('the directories of blobs', () => {
  it('are private', async () => {
    const blobs = await diskBlobs(directory)
    for (const name of [id(1), 'f'.repeat(32)]) await blobs.write(name, bytesOf(1))
    await blobs.delete([id(1), 'f'.repeat(32)])
    for (const name of ['blobs', 'tmp', 'blobs/00', 'blobs/ff']) {
      expect((await stat(join(directory, name))).mode & 0o777).toBe(0o700)
    }
  })

  it('can be made in two goes', async () => {
    const path = scratch.next()
    await mkdir(path)
    const { fs } = faultyFileSystem(({ count }) => {
      if (count > 1) throw systemError('EIO')
    })
    await expect(createBlobDirectories(path, { fs })).rejects.toMatchObject({ code: 'BlobFailed' })
    await expect(diskBlobs(path)).rejects.toMatchObject({ code: 'BlobFailed' })
    await createBlobDirectories(path)
    expect(await (await diskBlobs(path)).write(id(1), bytesOf(1))).toBe(1)
  })

  it('are made once each, and many writes share the syncs of their parent', async () => {
    const path = scratch.next()
    await mkdir(path)
    await createBlobDirectories(path)
    const { fs, trace } = faultyFileSystem(() => undefined)
    const blobs = await diskBlobs(path, { fs })
    expect(await readdir(join(path, 'blobs'))).toEqual([])
    const ids = Array.from({ length: 64 }, (_, n) => `${(n % 16).toString(16)}${id(n).slice(1)}`)
    await Promise.all(ids.map((each) => blobs.write(each, bytesOf(10))))
    expect((await readdir(join(path, 'blobs'))).length).toBe(16)
    expect(trace.filter((line) => line === 'sync blobs').length).toBeLessThan(8)
    trace.length = 0
    await blobs.write(id(0xff), bytesOf(10))
    expect(trace.filter((line) => /blobs|mkdir/.test(line))).toEqual([])
  })

  it('that another process made are made durable here too', async () => {
    const path = scratch.next()
    await mkdir(path)
    await createBlobDirectories(path)
    const [early, other] = [faultyFileSystem(() => undefined), await diskBlobs(path)]
    const blobs = await diskBlobs(path, { fs: early.fs })
    await other.write(id(1), bytesOf(1))
    await blobs.write(id(2), bytesOf(1))
    expect(early.trace.filter((line) => /mkdir|sync blobs/.test(line))).toEqual(['mkdir 00', 'sync blobs'])
    const late = faultyFileSystem(() => undefined)
    const joined = await diskBlobs(path, { fs: late.fs })
    await joined.write(id(3), bytesOf(1))
    expect(late.trace.filter((line) => /mkdir|sync blobs/.test(line))).toEqual(['sync blobs'])
  })

  it('end a write at once when they cannot be made, however slow its source is', async () => {
    const { blobs, open: openFiles } = await open(failing('mkdir', /^cd$/, 'ENOSPC'))
    async function* stalled(): ByteSource {
      yield Buffer.alloc(10)
      await new Promise<never>(() => undefined)
    }
    await expect(blobs.write(`cd${id(1).slice(2)}`, stalled())).rejects.toMatchObject({ code: 'NoSpace' })
    expect(openFiles()).toBe(0)
    expect(await leftovers()).toEqual([])
  })

  it('that lost a blob with them report it missing, and take new ones', async () => {
    const { blobs } = await open(() => undefined)
    await blobs.write(`ee${id(1).slice(2)}`, bytesOf(1))
    await rm(join(directory, 'blobs', 'ee'), { recursive: true })
    const again = await diskBlobs(directory)
    await expect(again.open(`ee${id(1).slice(2)}`)).rejects.toMatchObject({ code: 'BlobMissing' })
    await again.delete([`ee${id(1).slice(2)}`])
    expect(await again.write(`ee${id(2).slice(2)}`, bytesOf(1))).toBe(1)
    await again.delete([`ee${id(2).slice(2)}`])
  })

  it('must be on one file system', async () => {
    const { fs } = faultyFileSystem(({ operation, name }) =>
      operation === 'stat' && name === 'tmp' ? { dev: -1n, ino: 1n } : undefined,
    )
    await expect(diskBlobs(directory, { fs })).rejects.toMatchObject({ code: 'BlobFailed' })
  })

  it('list blobs only, and an error is no empty list', async () => {
    for (const name of ['00', '01']) await mkdir(join(directory, 'blobs', name), { recursive: true })
    await writeFile(join(directory, 'blobs', '01', id(1)), 'in the wrong place')
    await writeFile(join(directory, 'blobs', '00', 'README'), 'no blob')
    await writeFile(join(directory, 'blobs', 'README'), 'no directory of blobs')
    expect(await leftovers()).toEqual([])
    for (const unreadable of [/^01$/, parent]) {
      const { blobs } = await open(failing('readdir', unreadable, 'EIO'))
      const list = async () => {
        for await (const _ of blobs.list());
      }
      await expect(list()).rejects.toMatchObject({ code: 'BlobFailed' })
      await expect(blobs.discardUnfinished()).resolves.toBe(0)
    }
  })

  it('lose every blob that can be deleted, and the failure is reported', async () => {
    const { blobs } = await open(failing('unlink', /1$/, 'EIO'))
    for (const n of [1, 2, 3]) await blobs.write(id(n), bytesOf(1))
    await expect(blobs.delete([1, 2, 3].map(id))).rejects.toMatchObject({
      code: 'BlobFailed',
      details: { errno: 'EIO' },
    })
    expect(await leftovers()).toEqual([id(1)])
    await (await diskBlobs(directory)).delete([id(1)])
  })

  it('lose what earlier processes left unfinished', async () => {
    for (const n of [1, 2]) await writeFile(join(directory, 'tmp', id(n)), 'half')
    const { blobs } = await open(() => undefined)
    expect(await blobs.discardUnfinished()).toBe(2)
    expect(await leftovers()).toEqual([])
  })

  it.each(['', '../../etc/passwd', 'A'.repeat(32), '0'.repeat(31), `${'0'.repeat(32)}/`, '__proto__'])(
    'are never reached through the id %j',
    async (bad) => {
      const { blobs, trace } = await open(() => undefined)
      await expect(blobs.write(bad, bytesOf(1))).rejects.toThrow(TypeError)
      await expect(blobs.open(bad)).rejects.toThrow(TypeError)
      await expect(blobs.delete([id(1), bad])).rejects.toThrow(TypeError)
      expect(trace).toEqual([])
    },
  )
})

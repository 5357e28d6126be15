import { mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BlobHandle, BlobStore, ByteSource } from '@varve/core'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  type FaultyFileSystem,
  type FileCall,
  failing,
  faultyFileSystem,
  systemError,
} from '../files/faulty-file-system.fixture.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { inspectSegments } from './inspect-segments.ts'
import {
  createTieredDirectories,
  type SegmentedBlobStore,
  tieredBlobs,
  type TieredBlobsOptions,
} from './tiered-blobs.ts'

const id = (n: number) => n.toString(16).padStart(32, '0')
const anySegment = /^[0-9a-f]{32}\.segment$/
const newSegment = /^[0-9a-f]{32}\.segment\.tmp$/
const directoryOfSegments = /^segments$/

const scratch = scratchDirectory()
let directory = ''

beforeEach(async () => {
  directory = scratch.next()
  await mkdir(directory)
  await createTieredDirectories(directory)
})

interface Subject extends FaultyFileSystem {
  readonly blobs: SegmentedBlobStore
}

/** Nothing is judged before the store is open. */
async function open(judge: (call: FileCall) => unknown, options: TieredBlobsOptions = {}): Promise<Subject> {
  let armed = false
  const faulty = faultyFileSystem((call) => (armed ? judge(call) : undefined))
  const blobs = await tieredBlobs(directory, { clearing: 'on-request', ...options, fs: faulty.fs })
  armed = true
  faulty.trace.length = 0
  return { ...faulty, blobs }
}

const content = (size: number, value = 1) => Buffer.alloc(size, value)

async function* once(bytes: Uint8Array): ByteSource {
  yield bytes
}

/** As the next process finds it, without a close before. */
async function found(): Promise<readonly string[]> {
  const blobs = await tieredBlobs(directory, { clearing: 'on-request' })
  const ids = await listed(blobs)
  await blobs.close()
  return ids
}

async function listed(blobs: Pick<BlobStore, 'list'>): Promise<readonly string[]> {
  const ids = []
  for await (const each of blobs.list()) ids.push(each)
  return ids.sort()
}

async function bytesBehind(handle: BlobHandle): Promise<Buffer> {
  const bytes = Buffer.alloc(handle.size)
  await handle.read(bytes, 0)
  return bytes
}

async function read(blobs: Pick<BlobStore, 'open'>, name: string): Promise<Buffer> {
  const handle = await blobs.open(name)
  try {
    return await bytesBehind(handle)
  } finally {
    await handle.close()
  }
}

const segmentFiles = async () => (await readdir(join(directory, 'segments'))).filter((name) => anySegment.test(name))

const onlySegment = async () => join(directory, 'segments', (await segmentFiles())[0] ?? 'none')

describe('a write into a segment', () => {
  it('costs one write and one fdatasync, shared by all waiting writes', async () => {
    const { blobs, trace } = await open(() => undefined)
    await blobs.write(id(1), once(content(10)))
    trace.length = 0
    await Promise.all([2, 3, 4, 5].map((n) => blobs.write(id(n), once(content(10, n)))))
    expect(trace.map((line) => line.split(' ')[0])).toEqual(['write', 'datasync', 'fstat'])
    expect(await read(blobs, id(4))).toEqual(content(10, 4))
    await blobs.close()
  })

  it('begins with a segment whose name is durable', async () => {
    const { blobs, trace } = await open(() => undefined)
    await blobs.write(id(1), once(content(10)))
    const operations = trace.map((line) => line.split(' ')[0])
    expect(operations.slice(0, 8)).toEqual(['open', 'write', 'fstat', 'sync', 'rename', 'open', 'sync', 'close'])
    expect((await stat(await onlySegment())).mode & 0o777).toBe(0o600)
    await blobs.close()
  })

  const errors = [
    ['EIO', 'BlobFailed'],
    ['EROFS', 'BlobFailed'],
    ['ENOSPC', 'NoSpace'],
    ['EDQUOT', 'NoSpace'],
    ['EFBIG', 'NoSpace'],
  ] as const
  const steps = ['write', 'fstat', 'datasync', 'sync', 'rename', 'open'] as const

  it.each(steps)('that fails in %s fails alone, and repeats no fsync', async (operation) => {
    for (const [errno, code] of errors) {
      const { blobs, trace, open: openFiles } = await open(failing(operation, newSegment, errno, 1))
      await expect(blobs.write(id(1), once(content(10)))).rejects.toMatchObject({ code, details: { errno } })
      const syncs = trace.filter((line) => /sync/.test(line) && !line.endsWith('segments'))
      expect(new Set(syncs).size).toBe(syncs.length)
      await expect(blobs.open(id(1))).rejects.toMatchObject({ code: 'BlobMissing' })
      expect(await blobs.write(id(2), once(content(10, 2)))).toBe(10)
      expect(await read(blobs, id(2))).toEqual(content(10, 2))
      expect(await found()).toEqual([id(2)])
      await blobs.delete([id(2)])
      await blobs.close()
      expect(openFiles()).toBe(0)
      expect(await found()).toEqual([])
    }
  })

  it('that finds no handle for a segment is refused, and no other', async () => {
    const { blobs } = await open(failing('open', newSegment, 'EMFILE', 1))
    await expect(blobs.write(id(1), once(content(10)))).rejects.toMatchObject({ code: 'TooManyOpenFiles' })
    expect(await blobs.write(id(1), once(content(10)))).toBe(10)
    await blobs.close()
  })

  it('fails with its whole group, and the next process finds no blob of the group', async () => {
    const judge = failing('datasync', newSegment, 'EIO', 1)
    let armed = false
    const { blobs } = await open((call) => (armed ? judge(call) : undefined))
    await blobs.write(id(1), once(content(10)))
    armed = true
    const lost = await Promise.allSettled([2, 3, 4].map((n) => blobs.write(id(n), once(content(10, n)))))
    expect(lost.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    await blobs.write(id(5), once(content(10, 5)))
    expect(await found()).toEqual([id(1), id(5)])
    await blobs.close()
    expect(await segmentFiles()).toHaveLength(2)
  })

  it('is the last one when the fsync of the directory failed', async () => {
    const { blobs } = await open(failing('sync', directoryOfSegments, 'EIO', 1))
    await expect(blobs.write(id(1), once(content(10)))).rejects.toMatchObject({ details: { errno: 'EIO' } })
    await expect(blobs.write(id(2), once(content(10)))).rejects.toMatchObject({ details: { kind: 'directory' } })
    await blobs.close()
    expect(await found()).toEqual([])
  })

  it('detects a disk that reports a write it did not make', async () => {
    const { blobs } = await open(({ operation, name }) =>
      operation === 'write' && newSegment.test(name) ? { bytesWritten: 64 } : undefined,
    )
    await expect(blobs.write(id(1), once(content(10)))).rejects.toMatchObject({ details: { kind: 'size' } })
    await blobs.close()
  })

  it('stops before it eats what the reserve keeps, and deletes go on', async () => {
    let exhausted = false
    const reserve = { exhausted: async () => exhausted, spend: () => undefined }
    const { blobs } = await open(() => undefined, { reserve })
    await blobs.write(id(1), once(content(10)))
    exhausted = true
    await expect(blobs.write(id(2), once(content(10)))).rejects.toMatchObject({ code: 'NoSpace' })
    await expect(blobs.write(id(3), once(content(1_000_000)))).rejects.toMatchObject({ code: 'NoSpace' })
    await blobs.delete([id(1)])
    expect(await found()).toEqual([])
    await blobs.close()
  })

  it('does not wait for a source that stalls', async () => {
    const { blobs } = await open(() => undefined)
    async function* stalled(): ByteSource {
      yield content(10)
      await new Promise<never>(() => undefined)
    }
    const stuck = blobs.write(id(1), stalled()).catch((error: unknown) => error)
    expect(await blobs.write(id(2), once(content(10)))).toBe(10)
    await blobs.close()
    expect(await stuck).toMatchObject({ code: 'StoreClosed' })
    await expect(blobs.write(id(3), once(content(1)))).rejects.toMatchObject({ code: 'StoreClosed' })
    expect(await found()).toEqual([id(2)])
  })

  it('becomes a file when it is too large, or when there is no memory to gather it in', async () => {
    const { blobs } = await open(() => undefined, { segmentMax: 1000, gatherMax: 1500 })
    await blobs.write(id(1), once(content(1001)))
    let finish = () => {}
    const reported = new Promise<void>((resolve) => (finish = resolve))
    async function* slow(): ByteSource {
      yield content(900)
      await reported
    }
    const slowly = blobs.write(id(2), slow())
    await blobs.write(id(3), once(content(900, 3)))
    finish()
    await slowly
    const files = await readdir(join(directory, 'blobs', '00'))
    expect(files.sort()).toEqual([id(1), id(3)])
    for (const n of [1, 2, 3]) expect((await read(blobs, id(n))).length).toBe(n === 1 ? 1001 : 900)
    await blobs.delete([1, 2, 3].map(id))
    expect(await listed(blobs)).toEqual([])
    await blobs.close()
  })
})

describe('segments', () => {
  it('are compacted when little in them is needed, and open reads continue', async () => {
    const { blobs, open: openFiles } = await open(() => undefined, { segmentBytes: 10_000 })
    const ids = Array.from({ length: 30 }, (_, n) => id(n))
    for (const [n, each] of ids.entries()) await blobs.write(each, once(content(1000, n)))
    const before = await segmentFiles()
    const [deleted, moved] = [await blobs.open(id(0)), await blobs.open(id(5))]
    await blobs.delete(ids.filter((_, n) => n % 5 > 0 || n === 0))
    expect(await blobs.compact()).toBeGreaterThan(2)
    const after = await segmentFiles()
    expect(before.filter((name) => after.includes(name)).length).toBeLessThan(2)
    expect(await bytesBehind(deleted)).toEqual(content(1000, 0))
    expect(await bytesBehind(moved)).toEqual(content(1000, 5))
    expect(await read(blobs, id(10))).toEqual(content(1000, 10))
    expect(await found()).toEqual([5, 10, 15, 20, 25].map(id))
    await deleted.close()
    await moved.close()
    await blobs.close()
    expect(openFiles()).toBe(0)
  })

  it('go without a byte copied when nothing in them is needed, on a full disk too', async () => {
    let full = false
    const { blobs } = await open(
      ({ operation }) => {
        if (full && operation === 'write') throw systemError('ENOSPC')
      },
      { segmentBytes: 3200 },
    )
    for (const n of [1, 2, 3, 4]) await blobs.write(id(n), once(content(1400, n)))
    await blobs.delete([id(1), id(2)])
    full = true
    expect(await blobs.compact()).toBe(1)
    expect(await read(blobs, id(4))).toEqual(content(1400, 4))
    await blobs.close()
  })

  it('are put together when many short sessions left small ones', async () => {
    for (let n = 0; n < 20; n++) {
      const { blobs } = await open(() => undefined)
      await blobs.write(id(n), once(content(100, n)))
      await blobs.close()
    }
    expect(await segmentFiles()).toHaveLength(20)
    const { blobs } = await open(() => undefined)
    await blobs.compact()
    await blobs.close()
    expect((await segmentFiles()).length).toBeLessThan(20)
    expect(await found()).toEqual(Array.from({ length: 20 }, (_, n) => id(n)))
  })

  it('are not cleared out when something in them is damaged: its bytes stay to be looked at', async () => {
    const { blobs } = await open(() => undefined, { segmentBytes: 3200 })
    for (const n of [1, 2, 3]) await blobs.write(id(n), once(content(1400, n)))
    const path = join(directory, 'segments', await segmentOf(2))
    const bytes = await readFile(path)
    bytes[bytes.length - 1] = 99
    await writeFile(path, bytes)
    await blobs.delete([id(1)])
    expect(await blobs.compact()).toBe(0)
    const seen = await read(blobs, id(2))
    expect([seen[0], seen[1399]]).toEqual([2, 99])
    await blobs.close()
  })

  it('report missing bytes in a segment that was cut short, never a missing blob', async () => {
    const { blobs } = await open(() => undefined)
    for (const n of [1, 2]) await blobs.write(id(n), once(content(1000, n)))
    await blobs.close()
    await truncate(await onlySegment(), 1500)
    const again = await open(() => undefined)
    expect(await read(again.blobs, id(1))).toEqual(content(1000, 1))
    await expect(read(again.blobs, id(2))).rejects.toMatchObject({ code: 'BlobFailed', details: { kind: 'size' } })
    await again.blobs.close()
    const { divergences } = await inspectSegments(directory)
    expect(divergences).toMatchObject([
      { kind: 'SegmentDamaged', message: expect.stringContaining('cut off at 1500') as string },
    ])
  })

  it('never give a byte of a neighbour', async () => {
    const { blobs } = await open(() => undefined)
    await Promise.all([1, 2].map((n) => blobs.write(id(n), once(content(10, n)))))
    const handle = await blobs.open(id(1))
    await expect(handle.read(new Uint8Array(6), 5)).rejects.toMatchObject({ code: 'BlobFailed' })
    await handle.close()
    await blobs.close()
  })

  it('are found by what is in them when an index is gone or damaged', async () => {
    const { blobs } = await open(() => undefined)
    for (const n of [1, 2, 3]) await blobs.write(id(n), once(content(1000, n)))
    await blobs.delete([id(2)])
    await blobs.close()
    const index = (await onlySegment()).replace('.segment', '.index')
    for (const spoil of [(bytes: Buffer) => bytes.fill(7, 70, 71), () => Buffer.alloc(0), () => Buffer.alloc(90_000)]) {
      await writeFile(index, spoil(await readFile(index)))
      expect((await inspectSegments(directory)).divergences).toMatchObject([{ kind: 'SegmentDamaged' }])
      expect(await found()).toEqual([id(1), id(3)])
      expect((await inspectSegments(directory)).divergences).toEqual([])
    }
  })

  it('distinguish damage in acknowledged records from a record that a crash tore', async () => {
    const { blobs } = await open(() => undefined)
    for (const n of [1, 2, 3]) await blobs.write(id(n), once(content(1000, n)))
    const path = await onlySegment()
    const whole = await readFile(path)
    const spoiled = (at: number) => Buffer.concat([whole.subarray(0, at), Buffer.of(99), whole.subarray(at + 1)])
    // The last record is what may have been torn; the header of one before is gone, the bytes of another are wrong.
    await writeFile(path, spoiled(whole.length - 1))
    expect(await listed((await inspectSegments(directory)).blobs)).toEqual([id(1), id(2)])
    expect((await inspectSegments(directory)).divergences).toEqual([])
    await writeFile(path, spoiled(64 + 1088 + 3))
    expect(await listed((await inspectSegments(directory)).blobs)).toEqual([id(1), id(3)])
    expect((await inspectSegments(directory)).divergences).toMatchObject([{ kind: 'SegmentDamaged' }])
    await writeFile(path, spoiled(64 + 1088 + 100))
    expect(await listed((await inspectSegments(directory)).blobs)).toEqual([id(1), id(2), id(3)])
    await blobs.close()
  })

  it('ignore bytes of a blob that look like a record', async () => {
    const { blobs } = await open(() => undefined)
    await blobs.write(id(1), once(content(1000, 1)))
    const copied = await readFile(await onlySegment())
    await blobs.write(id(2), once(copied))
    expect(await found()).toEqual([id(1), id(2)])
    await blobs.close()
  })

  it('lose what was left unfinished, and unexpected files are reported', async () => {
    for (const name of [`${id(1)}.segment.tmp`, `${id(2)}.index.tmp`, `${id(3)}.index`, 'README']) {
      await writeFile(join(directory, 'segments', name), 'half')
    }
    const { divergences } = await inspectSegments(directory)
    expect(divergences.map(({ kind }) => kind)).toEqual(['Leftover', 'Leftover', 'Leftover', 'FileUnexpected'])
    const { blobs } = await open(() => undefined)
    expect(await blobs.discardUnfinished()).toBe(3)
    expect(await readdir(join(directory, 'segments'))).toEqual(['README'])
    await blobs.close()
  })

  it('must have their directory, which is private', async () => {
    expect((await stat(join(directory, 'segments'))).mode & 0o777).toBe(0o700)
    await rm(join(directory, 'segments'), { recursive: true })
    await expect(tieredBlobs(directory)).rejects.toMatchObject({ code: 'BlobFailed' })
  })

  it('are read with no more handles than may be open', async () => {
    const { blobs, open: openFiles } = await open(() => undefined, { segmentBytes: 1000, openMax: 2 })
    for (const n of [1, 2, 3]) await blobs.write(id(n), once(content(900, n)))
    for (const n of [1, 2, 3, 1]) expect(await read(blobs, id(n))).toEqual(content(900, n))
    const handles = [await blobs.open(id(1)), await blobs.open(id(2)), await blobs.open(id(2))]
    await expect(blobs.open(id(3))).rejects.toMatchObject({ code: 'TooManyOpenFiles' })
    for (const handle of handles) await handle.close()
    expect(await read(blobs, id(3))).toEqual(content(900, 3))
    await blobs.close()
    expect(openFiles()).toBe(0)
  })
})

/** The segment that holds a blob. */
async function segmentOf(n: number): Promise<string> {
  for (const name of await segmentFiles()) {
    if ((await readFile(join(directory, 'segments', name))).includes(Buffer.from(id(n), 'hex'))) return name
  }
  throw new Error(`There is no blob ${n}.`)
}

/**
 * `npm run suite bench-blobs [-- directory]`: measures durable writes of blobs, 16 in flight. It compares one file per
 * blob, segments, and, as the floor, a bare append with one fdatasync for all waiting writes. Rounds are interleaved,
 * so ratios are meaningful on a machine that does other work too.
 */
import { mkdir, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBlobDirectories, createTieredDirectories, diskBlobs, randomIds, tieredBlobs } from '@varve/adapters'

const inFlight = 16
const rounds = Number(process.env['ROUNDS'] ?? 5)
const sizes = (process.env['SIZES'] ?? '4,16,64,256,1024').split(',').map((kibibytes) => Number(kibibytes) * 1024)
const countOf = (size: number) => Math.max(64, Math.min(1600, Math.floor((48 * 1024 * 1024) / size)))

interface Subject {
  write(bytes: Uint8Array): Promise<unknown>
  close(): Promise<void>
}

type Open = (directory: string) => Promise<Subject>

const files: Open = async (directory) => {
  await createBlobDirectories(directory)
  const blobs = await diskBlobs(directory)
  return { write: (bytes) => blobs.write(randomIds.next(), once(bytes)), close: () => blobs.close() }
}

const segments: Open = async (directory) => {
  await createTieredDirectories(directory)
  const blobs = await tieredBlobs(directory, { segmentMax: 8 * 1024 * 1024 })
  return { write: (bytes) => blobs.write(randomIds.next(), once(bytes)), close: () => blobs.close() }
}

/** The least cost of a durable write: one write of the bytes, and a share of an fdatasync. */
const bare: Open = async (directory) => {
  const file = await open(join(directory, 'log'), 'wx')
  let end = 0
  let waiting: { readonly bytes: Uint8Array; resolve(): void; reject(error: unknown): void }[] = []
  let working = false
  const work = async () => {
    working = true
    await Promise.resolve()
    while (waiting.length > 0) {
      const group = waiting
      waiting = []
      try {
        const { bytesWritten } = await file.writev(
          group.map(({ bytes }) => bytes),
          end,
        )
        end += bytesWritten
        await file.datasync()
        for (const { resolve } of group) resolve()
      } catch (error) {
        for (const { reject } of group) reject(error)
      }
    }
    working = false
  }
  const write = (bytes: Uint8Array) =>
    new Promise<void>((resolve, reject) => {
      waiting.push({ bytes, resolve, reject })
      if (!working) void work()
    })
  return { write, close: () => file.close() }
}

async function* once(bytes: Uint8Array) {
  yield bytes
}

/** Writes a second. */
async function measure(home: string, make: Open, size: number): Promise<number> {
  const directory = join(home, randomIds.next())
  await mkdir(directory)
  const subject = await make(directory)
  const bytes = Buffer.alloc(size, 7)
  const run = async (count: number) => {
    let left = count
    const client = async () => {
      while (left-- > 0) await subject.write(bytes)
    }
    await Promise.all(Array.from({ length: inFlight }, client))
  }
  await run(inFlight * 2)
  const count = countOf(size)
  const began = performance.now()
  await run(count)
  const seconds = (performance.now() - began) / 1000
  await subject.close()
  await rm(directory, { recursive: true })
  return count / seconds
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
const spread = (values: readonly number[]) =>
  `${median(values).toFixed(2)} [${Math.min(...values).toFixed(2)}–${Math.max(...values).toFixed(2)}]`

const home = await mkdtemp(join(process.argv[2] ?? tmpdir(), 'varve-blobs-'))
try {
  for (const size of sizes) {
    const rates = { files: [] as number[], segments: [] as number[], append: [] as number[] }
    for (let round = 0; round < rounds; round++) {
      rates.files.push(await measure(home, files, size))
      rates.segments.push(await measure(home, segments, size))
      rates.append.push(await measure(home, bare, size))
    }
    const each = (of: readonly number[], by: readonly number[]) => of.map((rate, n) => rate / (by[n] ?? 1))
    console.log(
      `${size / 1024} KiB: files ${Math.round(median(rates.files))}/s, segments ${Math.round(median(rates.segments))}/s, ` +
        `append ${Math.round(median(rates.append))}/s; segments / files ${spread(each(rates.segments, rates.files))}, ` +
        `segments / append ${spread(each(rates.segments, rates.append))}`,
    )
  }
} finally {
  await rm(home, { recursive: true, force: true })
}

/**
 * A script for the blob store `tiered` on the simulated disk. Clients write, read, delete and clear out, and the store
 * is closed and opened again between. The answers of each client are noted, for `segment-audit.ts`.
 */
import { createTieredDirectories, type SegmentedBlobStore, tieredBlobs } from '@varve/adapters'
import { type BlobHandle, type ByteSource, isStorageError } from '@varve/core'
import { type DiskImage, emptyDisk } from './disk-image.ts'
import { hexFrom, type Random, randomFrom } from '../support/random.ts'
import { SimFiles } from './sim-files.ts'
import { atOnce, type Effects, type Fault, World } from './world.ts'

/** What is known of one blob: begun is not answered, and failed is anything. */
export interface Fact {
  readonly bytes: Buffer
  written: 'begun' | 'answered' | 'failed'
  deleted: 'no' | 'begun' | 'answered' | 'failed'
  /** The deleted blob may come back, because the sync of a directory failed. */
  readonly mayReturn?: boolean
}

export type Facts = Map<string, Fact>

/** Small, so that a segment is soon full, and a few blobs are too large for one. */
const sizes = { segmentMax: 200, segmentBytes: 1024, gatherMax: 2000, liveMin: 0.6 }
const blobBytesMax = 240

/** There is memory enough for all of the clients, so size alone decides. */
export const isInSegment = ({ bytes }: Fact): boolean => bytes.length <= sizes.segmentMax

export async function openBlobs(effects: Effects, fs: SimFiles): Promise<SegmentedBlobStore> {
  const ids = { next: () => hexFrom(effects.random) }
  return tieredBlobs('/', { fs, ids, ...sizes, clearing: 'background' })
}

let made: Promise<DiskImage> | undefined

/** A disk with nothing but the directories on it. */
function newDisk(): Promise<DiskImage> {
  made ??= (async () => {
    const files = new SimFiles(atOnce(randomFrom(1), 0), emptyDisk)
    await createTieredDirectories('/', { fs: files })
    return files.image
  })()
  return made
}

export interface SegmentRunOptions {
  readonly seed: number
  readonly clients: number
  readonly rounds: number
  readonly fault?: Fault | undefined
  readonly onRest?: ((run: SegmentRun, step: number) => Promise<void>) | undefined
}

export class SegmentRun {
  readonly world: World
  readonly files: SimFiles
  readonly facts: Facts = new Map()
  /** What must not happen, whatever fails. */
  readonly surprises: unknown[] = []
  /** Counts answers, so that moments can be distinguished. */
  answers = 0
  readonly #random: Random
  readonly #rounds: number
  #closing = false

  static async of(options: SegmentRunOptions): Promise<SegmentRun> {
    const run = new SegmentRun(options, await newDisk())
    run.world.start()
    const working = run.#live(options.clients).catch((error: unknown) => run.#unlessMedium(error))
    await run.world.run()
    await Promise.race([working, Promise.resolve()])
    return run
  }

  private constructor({ seed, fault, rounds, onRest }: SegmentRunOptions, disk: DiskImage) {
    this.#random = randomFrom(seed * 31 + 7)
    this.#rounds = rounds
    this.world = new World({
      now: 0,
      random: randomFrom(seed),
      fault,
      onRest: onRest && ((step) => onRest(this, step)),
    })
    this.files = new SimFiles(this.world, disk)
  }

  /** Two sessions: what the first leaves, the second finds. */
  async #live(clients: number): Promise<void> {
    for (let session = 0; session < 2; session++) {
      this.#closing = false
      const blobs = await openBlobs(this.world, this.files)
      await blobs.discardUnfinished()
      const works = Array.from({ length: clients }, () => this.#client(blobs))
      await Promise.all(works)
      this.#closing = true
      await blobs.close()
      if (this.files.handles > 0) this.surprises.push(`${this.files.handles} files were left open`)
    }
  }

  async #client(blobs: SegmentedBlobStore): Promise<void> {
    for (let round = 0; round < this.#rounds && !this.#closing; round++) {
      const choice = this.#random.next()
      if (choice < 0.55) await this.#write(blobs)
      else if (choice < 0.85) await this.#delete(blobs)
      else if (choice < 0.95) await this.#read(blobs)
      else await blobs.compact().catch((error: unknown) => this.#unlessMedium(error))
    }
  }

  async #write(blobs: SegmentedBlobStore): Promise<void> {
    const id = hexFrom(this.#random)
    const bytes = contentOf(id, this.#random.below(blobBytesMax))
    const fact: Fact = { bytes, written: 'begun', deleted: 'no' }
    this.facts.set(id, fact)
    try {
      await blobs.write(id, inChunks(bytes))
      fact.written = 'answered'
    } catch (error) {
      fact.written = 'failed'
      this.#unlessMedium(error)
    }
    this.answers++
  }

  async #delete(blobs: SegmentedBlobStore): Promise<void> {
    const candidates = [...this.facts].filter(([, { written, deleted }]) => written !== 'begun' && deleted === 'no')
    const chosen = candidates.filter(() => this.#random.chance(0.4))
    for (const [, fact] of chosen) fact.deleted = 'begun'
    try {
      await blobs.delete(chosen.map(([id]) => id))
      for (const [, fact] of chosen) fact.deleted = 'answered'
    } catch (error) {
      for (const [, fact] of chosen) fact.deleted = 'failed'
      this.#unlessMedium(error)
    }
    this.answers++
  }

  /** A handle is held while others delete and clear out: its bytes stay. */
  async #read(blobs: SegmentedBlobStore): Promise<void> {
    const there = [...this.facts].filter(([, { written, deleted }]) => written === 'answered' && deleted === 'no')
    if (there.length === 0) return
    const [id, fact] = this.#random.pick(there)
    try {
      const handle = await blobs.open(id)
      try {
        for (let look = 0; look < 2; look++) {
          const seen = await readAll(handle)
          if (!seen.equals(fact.bytes)) this.surprises.push(`${id} was read as something else`)
        }
      } finally {
        await handle.close()
      }
    } catch (error) {
      if (isStorageError(error, 'BlobMissing') && fact.deleted === ('no' as Fact['deleted'])) {
        this.surprises.push(`${id} was acknowledged and is missing`)
      } else if (!isStorageError(error, 'BlobMissing')) this.#unlessMedium(error)
    }
  }

  #unlessMedium(error: unknown): void {
    const expected = this.world.faulted && isStorageError(error, 'BlobFailed', 'NoSpace', 'TooManyOpenFiles')
    if (!expected) this.surprises.push(error)
  }
}

/** Different for every blob, and for every size. */
export function contentOf(id: string, size: number): Buffer {
  const random = randomFrom(Number.parseInt(id.slice(0, 8), 16) + size)
  return Buffer.from(Array.from({ length: size }, () => random.below(256)))
}

async function* inChunks(bytes: Buffer): ByteSource {
  for (let at = 0; at < bytes.length; at += 100) yield bytes.subarray(at, at + 100)
}

export async function readAll(handle: BlobHandle): Promise<Buffer> {
  const bytes = Buffer.alloc(handle.size)
  await handle.read(bytes, 0)
  return bytes
}

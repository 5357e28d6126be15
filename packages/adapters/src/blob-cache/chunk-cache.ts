/**
 * Chunks of blobs in a directory, within a budget of bytes. It never fails: what cannot be read, or is damaged, is missing, and
 * what cannot be written is not kept. Nothing is synced, because a file that a crash tears fails its checksum.
 */
import { join } from 'node:path'
import type { BlobId } from '@varve/core'
import { bufferPool } from '../blobs/buffer-pool.ts'
import { isShardName, shardName } from '../blobs/blob-paths.ts'
import { ensureDirectory, privateFile } from '../files/durable-files.ts'
import { codeOnMedium } from '../files/errno.ts'
import type { FileSystem } from '../files/file-system.ts'
import { inTurns } from '../files/in-turns.ts'
import { readInto } from '../files/read-up-to.ts'
import { writeAll } from '../files/write-all.ts'
import {
  bytesIn,
  chunkBytes,
  type ChunkPlace,
  fileLength,
  headerBytes,
  headerOf,
  nameOf,
  placeOf,
} from './chunk-file.ts'
import { ChunkIndex, roomOf } from './chunk-index.ts'

/** The most chunks in memory that wait to be written. Others are not kept. */
const writesMax = 16
/** After a failure, nothing is written for so long. */
const restMs = 30_000
const shardsAtOnce = 16

export class ChunkCache {
  readonly #fs: FileSystem
  readonly #directory: string
  readonly #index: ChunkIndex
  readonly #bytesMax: number
  readonly #buffers = bufferPool({ size: headerBytes + chunkBytes, keptMax: 8 })
  /** What is being written, by name. */
  readonly #writing = new Map<string, { readonly bytes: Uint8Array; readonly done: Promise<void> }>()
  #restsUntil = Number.NEGATIVE_INFINITY

  private constructor(fs: FileSystem, directory: string, bytesMax: number) {
    this.#fs = fs
    this.#directory = directory
    this.#bytesMax = bytesMax
    this.#index = new ChunkIndex(bytesMax)
  }

  /** Reads which chunks are there, and removes what is none or too much. `directory` must exist. */
  static async open(fs: FileSystem, directory: string, bytesMax: number): Promise<ChunkCache> {
    const cache = new ChunkCache(fs, directory, bytesMax)
    const shards = (await fs.readdir(directory)).filter(isShardName)
    await inTurns(shards, (shard) => cache.#readShard(shard), shardsAtOnce)
    await cache.#removeFiles(cache.#index.makeRoom(0))
    return cache
  }

  sizeOf(id: BlobId): number | undefined {
    return this.#index.sizeOf(id)
  }

  /** Fills `into` with the bytes of the chunk from `start` on; false if the chunk is not there, or damaged. */
  async read(place: ChunkPlace, into: Uint8Array, start: number): Promise<boolean> {
    if (!this.#index.has(place)) return false
    const writing = this.#writing.get(nameOf(place))
    if (writing !== undefined) {
      into.set(writing.bytes.subarray(start, start + into.length))
      this.#index.use(place)
      return true
    }
    const buffer = this.#buffers.take()
    try {
      const bytes = bytesIn(await this.#readFile(place, buffer), place)
      if (bytes === undefined) throw new Error('The file is damaged.')
      into.set(bytes.subarray(start, start + into.length))
      this.#index.use(place)
      return true
    } catch (error) {
      // A file that cannot be opened now may be whole.
      if (codeOnMedium('BlobFailed', error) === 'TooManyOpenFiles') return false
      this.#index.remove(place)
      await this.#removeFiles([place])
      return false
    } finally {
      this.#buffers.give(buffer)
    }
  }

  /** Keeps the bytes, which must not change any more, if there is room and a turn to write them. */
  keep(place: ChunkPlace, bytes: Uint8Array): void {
    const name = nameOf(place)
    const isBusy = this.#writing.size >= writesMax || this.#writing.has(name) || performance.now() < this.#restsUntil
    if (isBusy || this.#index.has(place) || roomOf(place) > this.#bytesMax) return
    const removed = this.#index.makeRoom(roomOf(place))
    // It counts while it is being written, so that all files together stay within the budget.
    this.#index.add(place)
    const done = this.#write(place, bytes, removed).finally(() => this.#writing.delete(name))
    this.#writing.set(name, { bytes, done })
  }

  /** Forgets the blob, and removes its files. */
  async drop(id: BlobId): Promise<void> {
    const places = this.#index.chunksOf(id)
    for (const place of places) this.#index.remove(place)
    const writing = places.flatMap((place) => this.#writing.get(nameOf(place)) ?? [])
    // A write that ends finds that its chunk is not wanted any more.
    await Promise.allSettled(writing.map(({ done }) => done))
    await this.#removeFiles(places)
  }

  /** Resolves when nothing is being written. */
  async close(): Promise<void> {
    this.#restsUntil = Number.POSITIVE_INFINITY
    await Promise.allSettled([...this.#writing.values()].map(({ done }) => done))
  }

  async #readShard(shard: string): Promise<void> {
    const folder = join(this.#directory, shard)
    const names = await this.#fs.readdir(folder).catch(() => [])
    const paths = names.map((name) => join(folder, name))
    const sizes = await this.#fs.sizes(paths).catch(() => paths.map(() => -1))
    for (const [i, name] of names.entries()) {
      const place = placeOf(name)
      if (place !== undefined && shardName(place.id) === shard && sizes[i] === fileLength(place)) this.#index.add(place)
      else await this.#fs.unlink(join(folder, name)).catch(() => undefined)
    }
  }

  async #readFile(place: ChunkPlace, buffer: Uint8Array): Promise<Uint8Array> {
    const bytes = buffer.subarray(0, fileLength(place))
    const file = await this.#fs.open(this.#pathOf(place), 'r')
    try {
      return bytes.subarray(0, await readInto(file, bytes, 0))
    } finally {
      await file.close()
    }
  }

  /** Never rejects. */
  async #write(place: ChunkPlace, bytes: Uint8Array, removed: readonly ChunkPlace[]): Promise<void> {
    try {
      await this.#removeFiles(removed)
      // A file that could not be removed before.
      await this.#removeFiles([place])
      await ensureDirectory(this.#fs, join(this.#directory, shardName(place.id)))
      const file = await this.#fs.open(this.#pathOf(place), 'wx', privateFile)
      try {
        await writeAll(file, headerOf(place, bytes), 0)
        await writeAll(file, bytes, headerBytes)
      } finally {
        await file.close()
      }
    } catch {
      // The disk is full, or fails: it is left alone for a while.
      this.#restsUntil = Math.max(this.#restsUntil, performance.now() + restMs)
      this.#index.remove(place)
    }
    if (!this.#index.has(place)) await this.#removeFiles([place])
  }

  /** What cannot be removed now is removed, or found, when the cache is opened again. */
  async #removeFiles(places: readonly ChunkPlace[]): Promise<void> {
    await inTurns(places, (place) => this.#fs.unlink(this.#pathOf(place)).catch(() => undefined))
  }

  #pathOf(place: ChunkPlace): string {
    return join(this.#directory, shardName(place.id), nameOf(place))
  }
}

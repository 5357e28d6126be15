/** An open blob that is read through a cache. The blob store is only asked for what the cache does not have. */
import type { BlobHandle, BlobId } from '@varve/core'
import { assertOffset, tooShort } from '../blobs/blob-file-handle.ts'
import { inTurns } from '../files/in-turns.ts'
import type { ChunkCache } from './chunk-cache.ts'
import { chunkBytes, chunkLength, type ChunkPlace, nameOf } from './chunk-file.ts'

/** Chunks that are being fetched, by name. Readers of one chunk share one fetch. */
export type Fetches = Map<string, Fetch>

interface Fetch {
  readonly id: BlobId
  readonly bytes: Promise<Uint8Array>
  /** False if the blob was deleted meanwhile. */
  isKept: boolean
}

export interface HandleSource {
  readonly cache: ChunkCache
  readonly fetches: Fetches
  /** Opens the blob in the blob store. */
  readonly open: () => Promise<BlobHandle>
}

export class CachedHandle implements BlobHandle {
  readonly size: number
  readonly #id: BlobId
  readonly #source: HandleSource
  #opened: Promise<BlobHandle> | undefined
  #fetching = 0
  #isClosed = false
  #isDeleted = false

  constructor(id: BlobId, size: number, source: HandleSource, opened?: BlobHandle) {
    this.#id = id
    this.size = size
    this.#source = source
    if (opened !== undefined) this.#opened = Promise.resolve(opened)
  }

  /** Makes the blob readable to its end, even if it is deleted next. */
  async ensureOpen(): Promise<void> {
    await this.#open()
  }

  /** Bytes that are read from now on are not kept. */
  markDeleted(): void {
    this.#isDeleted = true
  }

  async read(into: Uint8Array, start: number): Promise<void> {
    assertOffset(start)
    const end = start + into.length
    if (end > this.size) throw tooShort(this.size, end)
    const first = Math.floor(start / chunkBytes)
    const count = into.length === 0 ? 0 : Math.ceil(end / chunkBytes) - first
    await inTurns(
      Array.from({ length: count }, (_, i) => first + i),
      (index) => {
        const from = Math.max(start, index * chunkBytes)
        const to = Math.min(end, (index + 1) * chunkBytes)
        return this.#readChunk(index, into.subarray(from - start, to - start), from - index * chunkBytes)
      },
    )
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#closeUnused()
  }

  async #readChunk(index: number, into: Uint8Array, start: number): Promise<void> {
    const place = { id: this.#id, index, size: this.size }
    if (await this.#source.cache.read(place, into, start)) return
    into.set((await this.#fetched(place)).subarray(start, start + into.length))
  }

  #fetched(place: ChunkPlace): Promise<Uint8Array> {
    const { cache, fetches } = this.#source
    const name = nameOf(place)
    const running = fetches.get(name)
    if (running !== undefined) return running.bytes
    const bytes = this.#fetch(place).then(
      (fetched) => {
        fetches.delete(name)
        if (fetch.isKept && !this.#isDeleted) cache.keep(place, fetched)
        return fetched
      },
      (error: unknown) => {
        fetches.delete(name)
        throw error
      },
    )
    const fetch = { id: place.id, bytes, isKept: true }
    fetches.set(name, fetch)
    return bytes
  }

  /** Other readers may share the bytes, so the blob stays open until they are there. */
  async #fetch(place: ChunkPlace): Promise<Uint8Array> {
    this.#fetching++
    try {
      const bytes = new Uint8Array(chunkLength(place))
      await (await this.#open()).read(bytes, place.index * chunkBytes)
      return bytes
    } finally {
      this.#fetching--
      if (this.#isClosed) await this.#closeUnused()
    }
  }

  #open(): Promise<BlobHandle> {
    this.#opened ??= this.#source.open().catch((error: unknown) => {
      this.#opened = undefined
      throw error
    })
    return this.#opened
  }

  async #closeUnused(): Promise<void> {
    if (this.#fetching === 0) await (await this.#opened)?.close()
  }
}

/** Which chunks a cache has, in the order of their last use, and how many bytes they take. */
import type { BlobId } from '@varve/core'
import { type ChunkPlace, fileLength, nameOf } from './chunk-file.ts'

/** What a file takes at least, with its name. */
const blockBytes = 4096

/** An entry in memory takes some hundred bytes. */
const entriesMax = 500_000

export const roomOf = (place: ChunkPlace): number => Math.ceil(fileLength(place) / blockBytes) * blockBytes

export class ChunkIndex {
  /** By name, the least recently used first. */
  readonly #chunks = new Map<string, ChunkPlace>()
  readonly #blobs = new Map<BlobId, Set<string>>()
  readonly #bytesMax: number
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  get bytes(): number {
    return this.#bytes
  }

  has(place: ChunkPlace): boolean {
    return this.#chunks.has(nameOf(place))
  }

  /** The size of a blob of which there is a chunk. */
  sizeOf(id: BlobId): number | undefined {
    const [name] = this.#blobs.get(id) ?? []
    return name === undefined ? undefined : this.#chunks.get(name)?.size
  }

  chunksOf(id: BlobId): readonly ChunkPlace[] {
    return [...(this.#blobs.get(id) ?? [])].flatMap((name) => this.#chunks.get(name) ?? [])
  }

  /** Counts as the most recently used one. */
  add(place: ChunkPlace): void {
    this.remove(place)
    const name = nameOf(place)
    this.#chunks.set(name, place)
    this.#bytes += roomOf(place)
    const names = this.#blobs.get(place.id) ?? new Set()
    this.#blobs.set(place.id, names.add(name))
  }

  use(place: ChunkPlace): void {
    const name = nameOf(place)
    if (this.#chunks.delete(name)) this.#chunks.set(name, place)
  }

  remove(place: ChunkPlace): void {
    const name = nameOf(place)
    if (!this.#chunks.delete(name)) return
    this.#bytes -= roomOf(place)
    const names = this.#blobs.get(place.id)
    names?.delete(name)
    if (names?.size === 0) this.#blobs.delete(place.id)
  }

  /** Removes the least recently used chunks until there is room for `bytes` more, and returns them. */
  makeRoom(bytes: number): readonly ChunkPlace[] {
    const removed: ChunkPlace[] = []
    for (const place of this.#chunks.values()) {
      if (this.#bytes + bytes <= this.#bytesMax && this.#chunks.size < entriesMax) break
      this.remove(place)
      removed.push(place)
    }
    return removed
  }
}

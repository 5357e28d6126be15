/** Opens blobs and reads them, until the blob store is closed. */
import { type BlobHandle, type BlobId, StorageError } from '@varve/core'
import { assertOffset, tooShort } from '../blobs/blob-file-handle.ts'
import { inTurns } from '../files/in-turns.ts'
import { blobMissing, headObject } from './head-object.ts'
import type { OpenHandles } from './open-handles.ts'
import { ReadAhead } from './read-ahead.ts'
import { type OpenObject, readAhead, readRange } from './read-range.ts'
import type { S3Place } from './s3-place.ts'
import type { Turns } from '../system/turns.ts'
import { s3Turns } from './s3-turns.ts'

export interface OpenBlobsOptions {
  readonly handles: OpenHandles
  readonly partBytes: number
  readonly partsAtOnce: number
  readonly hedgeMs: number | undefined
  /** The most bytes that are fetched ahead of all readers. */
  readonly readAheadBytes: number
}

export class OpenBlobs {
  readonly #place: S3Place
  readonly #options: OpenBlobsOptions
  readonly #closing = new AbortController()
  readonly #places: Turns
  readonly #aheads = new Set<ReadAhead>()

  constructor(place: S3Place, options: OpenBlobsOptions) {
    this.#place = place
    this.#options = options
    this.#places = s3Turns(Math.floor(options.readAheadBytes / options.partBytes), 0, 'buffers')
  }

  /** @throws StorageError `BlobMissing`, `BlobFailed` */
  async open(id: BlobId): Promise<BlobHandle> {
    const { handles } = this.#options
    const key = this.#place.keys.keyOf(id)
    if (handles.isHidden(id)) throw blobMissing(id)
    const release = handles.add(id)
    try {
      const facts = await headObject(this.#place, key, this.#closing.signal)
      if (facts === undefined) throw blobMissing(id)
      const object = { id, ...facts }
      const ahead = this.#aheadOf(object)
      this.#aheads.add(ahead)
      return {
        size: object.size,
        read: async (into, start) => {
          this.#assertRange(object, into, start)
          if (!(await ahead.read(into, start))) await this.#read(object, into, start)
        },
        close: async () => {
          this.#aheads.delete(ahead)
          ahead.drop()
          release()
        },
      }
    } catch (error) {
      release()
      throw error
    }
  }

  /** Ends all reads, and every later one. */
  close(): void {
    this.#closing.abort(new StorageError('StoreClosed', 'The blob store is closed.'))
    for (const ahead of this.#aheads) ahead.drop()
  }

  #aheadOf(object: OpenObject): ReadAhead {
    const { hedgeMs, partBytes } = this.#options
    return new ReadAhead({
      size: object.size,
      partBytes,
      places: this.#places,
      patienceMs: hedgeMs,
      fetch: (range, onFilled, signal) => readAhead(this.#place, object, { ...range, onFilled }, signal),
    })
  }

  #assertRange({ size }: OpenObject, into: Uint8Array, start: number): void {
    assertOffset(start)
    this.#closing.signal.throwIfAborted()
    const end = start + into.length
    if (end > size) throw tooShort(size, end)
  }

  async #read(object: OpenObject, into: Uint8Array, start: number): Promise<void> {
    const { signal } = this.#closing
    const { hedgeMs, partBytes, partsAtOnce } = this.#options
    const ranges = alignedRanges(start, start + into.length, partBytes).map(([from, to]) => ({
      into: into.subarray(from - start, to - start),
      start: from,
    }))
    await inTurns(ranges, (range) => readRange(this.#place, object, range, { hedgeMs, signal }), partsAtOnce)
  }
}

/** The pieces of a range between the borders of parts, which servers read with less work. */
function alignedRanges(start: number, end: number, partBytes: number): readonly (readonly [number, number])[] {
  const ranges: [number, number][] = []
  for (let from = start; from < end; ) {
    const to = Math.min(end, from - (from % partBytes) + partBytes)
    ranges.push([from, to])
    from = to
  }
  return ranges
}

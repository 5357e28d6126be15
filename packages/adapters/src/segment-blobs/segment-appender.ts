/**
 * Gathers what is to be written to segments. What waits is written as one group; what comes meanwhile is the next. So the
 * more writers there are, the less each pays.
 *
 * A group is only begun when the one before it is durable: see `scan-segment.ts` for what that is good for. When one
 * fails its blobs are rejected; what it leaves behind is `segment-writer.ts`'s.
 */
import { type BlobId, StorageError } from '@varve/core'
import { allDone } from '../files/all-done.ts'
import { onMedium } from '../files/errno.ts'
import type { BlobBudget } from '../blobs/write-blob-file.ts'
import { blobRecord, markRecords, type NewRecord, roomOf } from './new-records.ts'
import type { Place } from './format/places.ts'
import type { SegmentId } from './format/segment-paths.ts'
import { SegmentWriter, type SegmentWriterOptions } from './segment-writer.ts'

export interface AppenderOptions extends SegmentWriterOptions {
  readonly reserve: BlobBudget | undefined
}

interface Waiting {
  readonly record: NewRecord
  done(place: Place): void
  reject(error: unknown): void
}

/** Promise jobs that it takes from one answer to the next write in the queue, with a source that has its bytes at hand. */
const turnsOfWrite = 64

const groupBytesMax = 8 * 1024 * 1024

export class SegmentAppender {
  readonly #reserve: BlobBudget | undefined
  readonly #writer: SegmentWriter
  #queue: Waiting[] = []
  #working: Promise<void> | undefined
  #closed = false

  constructor({ reserve, ...options }: AppenderOptions) {
    this.#reserve = reserve
    this.#writer = new SegmentWriter(options)
  }

  /** The segment that is being written. */
  get open(): SegmentId | undefined {
    return this.#writer.open
  }

  /**
   * Resolves when the blob is durable. `bytes` is 64 bytes of room, then those of the blob; it is ours until then. `placed`
   * is told where before anything else can happen to the segment: an unknown blob would be cleared out with it.
   */
  append(id: BlobId, bytes: Buffer, placed: (place: Place) => void): Promise<void> {
    return this.#enqueue(blobRecord(id, bytes), placed)
  }

  /** Resolves when it is durable that these records are gone. */
  async mark(places: readonly Place[]): Promise<void> {
    await allDone(markRecords(places).map((record) => this.#enqueue(record)))
  }

  /** A segment is gone for good: what was written to it in vain is no matter any more. */
  forget(segment: SegmentId): void {
    this.#writer.forget(segment)
  }

  /** Resolves when nothing is on its way and the open segment is closed; nothing may be appended from now on. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#working
    await this.#writer.seal()
  }

  #enqueue(record: NewRecord, placed: (place: Place) => void = () => undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#closed) throw new StorageError('StoreClosed', 'The blob store is closed.')
      const done = (place: Place) => {
        placed(place)
        resolve()
      }
      this.#queue.push({ record, done, reject })
      this.#working ??= this.#work().finally(() => (this.#working = undefined))
    })
  }

  async #work(): Promise<void> {
    while (this.#queue.length > 0) {
      await this.#gathered()
      const group = await this.#admitted(this.#take())
      if (group.length === 0) continue
      try {
        const records = group.map(({ record }) => record)
        const places = await onMedium('BlobFailed', 'Writing blobs', () => this.#writer.write(records))
        for (const [i, { done }] of group.entries()) done(places[i] as Place)
      } catch (error) {
        for (const { reject } of group) reject(error)
      }
    }
  }

  /** Those whose last write was just answered are on their way with the next: they belong to the same group. */
  async #gathered(): Promise<void> {
    for (let count = 0; count < this.#queue.length; ) {
      count = this.#queue.length
      for (let turn = 0; turn < turnsOfWrite; turn++) await Promise.resolve()
    }
  }

  /** As many as go into one group and into one segment; one is always taken. */
  #take(): readonly Waiting[] {
    const fits = (bytes: number) => bytes <= groupBytesMax && this.#writer.hasRoomFor(bytes)
    let count = 0
    let bytes = 0
    for (const { record } of this.#queue) {
      bytes += roomOf(record)
      if (count > 0 && !fits(bytes)) break
      count++
    }
    return this.#queue.splice(0, count)
  }

  /** Blobs are refused when the medium is nearly full; marks are what makes room again. */
  async #admitted(group: readonly Waiting[]): Promise<readonly Waiting[]> {
    const reserve = this.#reserve
    const blobs = group.filter(({ record }) => record.kind === 'blob')
    if (reserve === undefined || blobs.length === 0) return group
    try {
      if (await reserve.exhausted()) throw new StorageError('NoSpace', 'The medium has too little room left.')
      reserve.spend(blobs.reduce((sum, { record }) => sum + record.bytes.length, 0))
      return group
    } catch (error) {
      for (const { reject } of blobs) reject(error)
      return group.filter(({ record }) => record.kind !== 'blob')
    }
  }
}

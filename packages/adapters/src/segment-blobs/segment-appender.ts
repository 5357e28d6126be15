/**
 * Gathers records for the segments. The waiting records are written as one group; records that arrive meanwhile form
 * the next group. So the more writers there are, the less each of them pays.
 *
 * A group begins only when the group before it is durable; `scan-segment.ts` relies on that. When a group fails, its
 * blobs are rejected; `segment-writer.ts` handles what it left in the segment.
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

/** Promise jobs between the answer to one write and the queueing of the next, for a source with its bytes in memory. */
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

  /** The segment that is written to. */
  get open(): SegmentId | undefined {
    return this.#writer.open
  }

  /**
   * Resolves when the blob is durable. `bytes` is 64 bytes of space, then the blob's bytes; do not change it until
   * then. `placed` receives the place before anything else can happen to the segment: clearing would drop an unknown
   * blob.
   */
  append(id: BlobId, bytes: Buffer, placed: (place: Place) => void): Promise<void> {
    return this.#enqueue(blobRecord(id, bytes), placed)
  }

  /** Resolves when the marks that delete these records are durable. */
  async mark(places: readonly Place[]): Promise<void> {
    await allDone(markRecords(places).map((record) => this.#enqueue(record)))
  }

  /** A segment was removed for good: the records of failed groups in it need no marks any more. */
  forget(segment: SegmentId): void {
    this.#writer.forget(segment)
  }

  /** Resolves when nothing is being written and the open segment is closed; nothing may be appended from now on. */
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
      this.#working ??= this.#work()
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
    // In the same step in which the queue was empty: a record that came in between would wait for the next one.
    this.#working = undefined
  }

  /** Waits for writers that got their answer just now and will queue their next write: it joins this group. */
  async #gathered(): Promise<void> {
    for (let count = 0; count < this.#queue.length; ) {
      count = this.#queue.length
      for (let turn = 0; turn < turnsOfWrite; turn++) await Promise.resolve()
    }
  }

  /** Takes as many records as fit into one group and one segment, but at least one. */
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

  /** Refuses blobs when the medium is nearly full, but not marks, which lead to free space. */
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

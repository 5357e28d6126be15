/**
 * The one writer of segments. What waits is written as one group behind the end of the open segment and made durable by
 * one fdatasync; what comes meanwhile is the next group. So the more writers there are, the less each pays.
 *
 * A group is only begun when the one before it is durable: see `scan-segment.ts` for what that is good for. After any
 * failure the segment is never written again, nor synced: those of the group are told, whatever of them reached the disk
 * is marked as gone together with the next group, and that goes to a new segment.
 */
import { type BlobId, StorageError } from '@varve/core'
import { onMedium } from '../files/errno.ts'
import type { OpenFile } from '../files/file-system.ts'
import type { BlobBudget } from '../blobs/write-blob-file.ts'
import { markBytes, marksMax, putMark } from './mark-format.ts'
import type { Place, StoredBlob } from './places.ts'
import { aligned, headerBytes, noId, putRecordHeader, type RecordKind } from './record-format.ts'
import { assertSize, type SegmentDirectory } from './segment-directory.ts'
import type { SegmentContents } from './index-format.ts'
import type { SegmentId } from './segment-paths.ts'
import { crc32 } from 'node:zlib'
import { allDone } from './all-done.ts'
import { writeGroup } from './write-group.ts'

export interface AppenderOptions {
  readonly directory: SegmentDirectory
  readonly reserve: BlobBudget | undefined
  /** A segment that has grown to so many bytes gets no more. */
  readonly segmentBytes: number
  /** Called when nothing more will be written to a segment: with what is in it. */
  readonly onSealed: (segment: SegmentId, contents: SegmentContents) => void
}

/** One record; `bytes` has room for a header in front. */
interface NewRecord {
  readonly kind: RecordKind
  readonly id: BlobId
  readonly bytes: Buffer
  readonly marks: readonly Place[]
}

interface Waiting extends NewRecord {
  readonly crc: number
  done(place: Place): void
  reject(error: unknown): void
}

interface OpenSegment {
  readonly id: SegmentId
  readonly file: OpenFile
  readonly blobs: StoredBlob[]
  readonly marks: Place[]
  /** Where the last durable record ends. */
  end: number
}

interface Placed extends Waiting {
  readonly place: Place
}

/** Promise jobs that it takes from one answer to the next write in the queue, with a source that has its bytes at hand. */
const turnsOfWrite = 64

const groupBytesMax = 8 * 1024 * 1024

export class SegmentAppender {
  readonly #options: AppenderOptions
  #queue: Waiting[] = []
  #working: Promise<void> | undefined
  #segment: OpenSegment | undefined
  #closed = false
  /** Records of groups that failed: nobody may find them. */
  #voids: readonly Place[] = []

  constructor(options: AppenderOptions) {
    this.#options = options
  }

  /** The segment that is being written. */
  get open(): SegmentId | undefined {
    return this.#segment?.id
  }

  /**
   * Resolves when the blob is durable. `record` is 64 bytes of room, then the bytes; it is ours until then. `placed` is told
   * where before anything else can happen to the segment: what nobody knows of would be cleared out with it.
   */
  append(id: BlobId, record: Buffer, placed: (place: Place) => void): Promise<void> {
    return this.#enqueue({ kind: 'blob', id, bytes: record, marks: [] }, placed)
  }

  /** Resolves when it is durable that these records are gone. */
  async mark(places: readonly Place[]): Promise<void> {
    const parts = []
    for (let i = 0; i < places.length; i += marksMax) parts.push(places.slice(i, i + marksMax))
    await Promise.all(parts.map((part) => this.#enqueue(recordOf(part))))
  }

  /** A segment is gone for good: what was written to it in vain is no matter any more. */
  forget(segment: SegmentId): void {
    this.#voids = this.#voids.filter((place) => place.segment !== segment)
  }

  /** Resolves when nothing is on its way and the open segment is closed; nothing may be appended from now on. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#working
    await this.#seal()
  }

  #enqueue(record: NewRecord, placed: (place: Place) => void = () => undefined): Promise<void> {
    const crc = crc32(record.bytes.subarray(headerBytes))
    return new Promise((resolve, reject) => {
      if (this.#closed) throw new StorageError('StoreClosed', 'The blob store is closed.')
      const done = (place: Place) => {
        placed(place)
        resolve()
      }
      this.#queue.push({ ...record, crc, done, reject })
      this.#working ??= this.#work().finally(() => (this.#working = undefined))
    })
  }

  async #work(): Promise<void> {
    while (this.#queue.length > 0) {
      await this.#gathered()
      const group = await this.#admitted(this.#take())
      if (group.length === 0) continue
      try {
        const placed = await onMedium('BlobFailed', 'Writing blobs', () => this.#write(group))
        for (const { place, done } of placed) done(place)
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
    const { segmentBytes } = this.#options
    const fits = (bytes: number) =>
      bytes <= groupBytesMax && (this.#segment?.end ?? headerBytes) + bytes <= segmentBytes
    let count = 0
    let bytes = 0
    for (const waiting of this.#queue) {
      bytes += aligned(waiting.bytes.length)
      if (count > 0 && !fits(bytes)) break
      count++
    }
    return this.#queue.splice(0, count)
  }

  /** Blobs are refused when the medium is nearly full; marks are what makes room again. */
  async #admitted(group: readonly Waiting[]): Promise<readonly Waiting[]> {
    const { reserve } = this.#options
    const blobs = group.filter(({ kind }) => kind === 'blob')
    if (reserve === undefined || blobs.length === 0) return group
    try {
      if (await reserve.exhausted()) throw new StorageError('NoSpace', 'The medium has too little room left.')
      reserve.spend(blobs.reduce((sum, { bytes }) => sum + bytes.length, 0))
      return group
    } catch (error) {
      for (const { reject } of blobs) reject(error)
      return group.filter(({ kind }) => kind !== 'blob')
    }
  }

  async #write(waiting: readonly Waiting[]): Promise<readonly Placed[]> {
    const voids = this.#voids
    const all = voids.length === 0 ? waiting : [...marksOf(voids), ...waiting]
    const segment = await this.#roomFor(all)
    const group = place(all, segment)
    try {
      await writeGroup(
        segment.file,
        group.map(({ bytes, place: { offset } }) => ({ bytes, offset })),
      )
      const end = endOf(group)
      // A disk that lies about a write is found out by the size, which need not wait for the sync.
      await allDone([segment.file.datasync(), assertSize(segment.file, end)])
      segment.end = end
    } catch (error) {
      this.#voids = [...voids, ...group.filter(({ kind }) => kind === 'blob').map((record) => record.place)]
      await this.#seal()
      throw error
    }
    this.#voids = []
    for (const { kind, id, place: at, marks } of group) {
      if (kind === 'blob') segment.blobs.push({ id, ...at })
      else segment.marks.push(...marks)
    }
    return group
  }

  async #roomFor(group: readonly Waiting[]): Promise<OpenSegment> {
    const bytes = group.reduce((sum, record) => sum + aligned(record.bytes.length), 0)
    const { directory, segmentBytes } = this.#options
    if (
      this.#segment !== undefined &&
      this.#segment.end > headerBytes &&
      aligned(this.#segment.end) + bytes > segmentBytes
    ) {
      await this.#seal()
    }
    this.#segment ??= { ...(await directory.create()), blobs: [], marks: [], end: headerBytes }
    return this.#segment
  }

  /** The open segment is written no more. */
  async #seal(): Promise<void> {
    const segment = this.#segment
    if (segment === undefined) return
    const { id, file, blobs, marks, end } = segment
    this.#segment = undefined
    this.#options.onSealed(id, { blobs, marks, end, gaps: [] })
    // All that counts in it is durable, so nothing hangs on this.
    await file.close().catch(() => undefined)
  }
}

const endOf = (group: readonly Placed[]): number =>
  group.reduce((end, { bytes, place: { offset } }) => Math.max(end, offset + bytes.length), 0)

/** Gives each record its place, and its header, which says so. */
function place(group: readonly Waiting[], { id: segment, end: synced }: OpenSegment): readonly Placed[] {
  let offset = aligned(synced)
  return group.map((record) => {
    const length = record.bytes.length - headerBytes
    const at = { segment, offset, size: length }
    putRecordHeader(record.bytes, segment, offset, {
      kind: record.kind,
      id: record.id,
      length,
      crc: record.crc,
      synced,
    })
    offset = aligned(offset + record.bytes.length)
    return { ...record, place: at }
  })
}

function* marksOf(voids: readonly Place[]): Iterable<Waiting> {
  const nobody = () => undefined
  for (let i = 0; i < voids.length; i += marksMax) {
    const record = recordOf(voids.slice(i, i + marksMax))
    yield { ...record, crc: crc32(record.bytes.subarray(headerBytes)), done: nobody, reject: nobody }
  }
}

function recordOf(marks: readonly Place[]): NewRecord {
  const bytes = Buffer.alloc(headerBytes + marks.length * markBytes)
  for (const [n, mark] of marks.entries()) putMark(bytes, headerBytes + n * markBytes, mark)
  return { kind: 'marks', id: noId, bytes, marks }
}

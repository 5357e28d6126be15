/**
 * The one writer of segments. A group goes behind the end of the open segment, and is made durable by one fdatasync.
 *
 * After any failure the segment is never written again, nor synced: whatever of the group reached the disk is marked as
 * gone together with the next group, and that goes to a new segment.
 */
import type { OpenFile } from '../files/file-system.ts'
import { allDone } from '../files/all-done.ts'
import type { SegmentContents } from './format/index-format.ts'
import { endOf, markRecords, type NewRecord, placeRecords, roomOf } from './new-records.ts'
import type { Place, StoredBlob } from './format/places.ts'
import { aligned, headerBytes } from './format/record-format.ts'
import { assertSize, type SegmentDirectory } from './segment-directory.ts'
import type { SegmentId } from './format/segment-paths.ts'
import { writeGroup } from './write-group.ts'

export interface SegmentWriterOptions {
  readonly directory: SegmentDirectory
  /** A segment that has grown to so many bytes gets no more. */
  readonly segmentBytes: number
  /** Called when nothing more will be written to a segment: with what is in it. */
  readonly onSealed: (segment: SegmentId, contents: SegmentContents) => void
}

interface OpenSegment {
  readonly id: SegmentId
  readonly file: OpenFile
  readonly blobs: StoredBlob[]
  readonly marks: Place[]
  /** Where the last durable record ends. */
  end: number
}

export class SegmentWriter {
  readonly #options: SegmentWriterOptions
  #segment: OpenSegment | undefined
  /** Records of groups that failed: they must not be found. */
  #voids: readonly Place[] = []

  constructor(options: SegmentWriterOptions) {
    this.#options = options
  }

  /** The segment that is being written. */
  get open(): SegmentId | undefined {
    return this.#segment?.id
  }

  /** Whether a group with so many bytes goes into the segment that is being written, or into an empty one. */
  hasRoomFor(bytes: number): boolean {
    return (this.#segment?.end ?? headerBytes) + bytes <= this.#options.segmentBytes
  }

  /** Resolves with the place of each when all are durable. One group at a time. */
  async write(records: readonly NewRecord[]): Promise<readonly Place[]> {
    const voids = markRecords(this.#voids)
    const all = [...voids, ...records]
    const segment = await this.#roomFor(all)
    const group = placeRecords(all, segment.id, segment.end)
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
      this.#voids = [...this.#voids, ...group.filter(({ kind }) => kind === 'blob').map(({ place }) => place)]
      await this.seal()
      throw error
    }
    this.#voids = []
    for (const { kind, id, place, marks } of group) {
      if (kind === 'blob') segment.blobs.push({ id, ...place })
      else segment.marks.push(...marks)
    }
    return group.slice(voids.length).map(({ place }) => place)
  }

  /** A segment is gone for good: what was written to it in vain is no matter any more. */
  forget(segment: SegmentId): void {
    this.#voids = this.#voids.filter((place) => place.segment !== segment)
  }

  /** The open segment is written no more. */
  async seal(): Promise<void> {
    const segment = this.#segment
    if (segment === undefined) return
    const { id, file, blobs, marks, end } = segment
    this.#segment = undefined
    this.#options.onSealed(id, { blobs, marks, end, gaps: [] })
    // All that counts in it is durable, so nothing hangs on this.
    await file.close().catch(() => undefined)
  }

  async #roomFor(group: readonly NewRecord[]): Promise<OpenSegment> {
    const bytes = group.reduce((sum, record) => sum + roomOf(record), 0)
    const { directory, segmentBytes } = this.#options
    if (
      this.#segment !== undefined &&
      this.#segment.end > headerBytes &&
      aligned(this.#segment.end) + bytes > segmentBytes
    ) {
      await this.seal()
    }
    this.#segment ??= { ...(await directory.create()), blobs: [], marks: [], end: headerBytes }
    return this.#segment
  }
}

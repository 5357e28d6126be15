/**
 * The only writer of segments. It appends a group to the open segment and makes it durable with one fdatasync.
 *
 * After any failure it never writes to the segment again, nor syncs it. What the group left on the disk is marked as
 * deleted together with the next group, which goes to a new segment.
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
  /** A segment of this size gets no more records. */
  readonly segmentBytes: number
  /** Called with the content of a segment when nothing more will be written to it. */
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
  /** Records of failed groups, which must not be found by a later scan. */
  #voids: readonly Place[] = []

  constructor(options: SegmentWriterOptions) {
    this.#options = options
  }

  /** The segment that is written to. */
  get open(): SegmentId | undefined {
    return this.#segment?.id
  }

  /** Whether a group of so many bytes fits into the open segment, or into an empty one. */
  hasRoomFor(bytes: number): boolean {
    return (this.#segment?.end ?? headerBytes) + bytes <= this.#options.segmentBytes
  }

  /** Resolves with the place of each record when all are durable. One group at a time. */
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
      // The size shows whether the disk really wrote the bytes; that check need not wait for the sync.
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

  /** A segment was removed for good: the records of failed groups in it need no marks any more. */
  forget(segment: SegmentId): void {
    this.#voids = this.#voids.filter((place) => place.segment !== segment)
  }

  /** Ends the open segment: nothing more is written to it. */
  async seal(): Promise<void> {
    const segment = this.#segment
    if (segment === undefined) return
    const { id, file, blobs, marks, end } = segment
    this.#segment = undefined
    this.#options.onSealed(id, { blobs, marks, end, gaps: [] })
    // All acknowledged records in it are durable, so a failure does no harm.
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

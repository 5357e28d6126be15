/**
 * Clears out one segment: appends the blobs that are still needed to another segment, and removes this one when they
 * are durable there. A crash in between leaves some blobs in two places, with the same bytes.
 *
 * A blob is never moved and deleted at the same time: a delete mark names one place and would miss the other.
 */
import type { BlobId } from '@varve/core'
import { crc32 } from 'node:zlib'
import { loadSegment } from './load-segment.ts'
import type { PlaceTable } from './place-table.ts'
import type { Place, StoredBlob } from './format/places.ts'
import { readUpTo } from '../files/read-up-to.ts'
import { headerBytes, parseRecordHeader } from './format/record-format.ts'
import type { SegmentAppender } from './segment-appender.ts'
import type { SegmentDirectory } from './segment-directory.ts'
import type { SegmentLease, SegmentReaders } from './segment-readers.ts'
import type { SegmentId } from './format/segment-paths.ts'

export interface Clearing {
  readonly directory: SegmentDirectory
  readonly table: PlaceTable
  readonly appender: SegmentAppender
  readonly readers: SegmentReaders
  /** Blobs that are being moved or deleted, with a promise for the end of that. */
  readonly busy: Map<BlobId, Promise<unknown>>
  /** Whether a segment still exists, so that marks about it are still needed. */
  isThere(segment: SegmentId): boolean
  /** Whether the clearing must stop. */
  stopped(): boolean
}

/** The bytes that are moved at once, and so are in memory at once. */
const batchBytes = 4 * 1024 * 1024

export type Cleared =
  /** The segment was removed. */
  | 'gone'
  /** A reader uses a part of it, or the clearing was stopped: try again later. */
  | 'later'
  /** A blob in it is damaged: the segment stays where it is. */
  | 'damaged'

/**
 * `remove` removes the segment for good.
 * @throws StorageError when the medium fails; then the segment still exists.
 */
export async function clearSegment(
  clearing: Clearing,
  segment: SegmentId,
  remove: () => Promise<unknown> = () => clearing.directory.remove(segment),
): Promise<Cleared> {
  const { directory, table, appender, readers } = clearing
  const { blobs, marks } = await loadSegment(directory.fs, directory.paths, segment)
  const live = blobs.filter((blob) => table.isAt(blob.id, blob))
  if (live.length > 0) {
    const lease = await readers.lease(segment)
    try {
      for (const batch of batches(live)) {
        if (clearing.stopped()) return 'later'
        if (!(await moveBatch(clearing, lease, batch))) return 'damaged'
      }
    } finally {
      await lease.release().catch(() => undefined)
    }
  }
  if (table.liveIn(segment) > 0) return 'later'
  const needed = marks.filter((mark) => mark.segment !== segment && clearing.isThere(mark.segment))
  if (needed.length > 0) await appender.mark(needed)
  readers.retire(segment)
  await remove()
  return 'gone'
}

function* batches(blobs: readonly StoredBlob[]): Iterable<readonly StoredBlob[]> {
  let batch: StoredBlob[] = []
  let bytes = 0
  for (const blob of blobs) {
    if (batch.length > 0 && bytes + blob.size > batchBytes) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(blob)
    bytes += blob.size
  }
  yield batch
}

/** False when one of the blobs is damaged. */
async function moveBatch(clearing: Clearing, lease: SegmentLease, batch: readonly StoredBlob[]): Promise<boolean> {
  const { table, busy } = clearing
  const free = batch.filter((blob) => table.isAt(blob.id, blob) && !busy.has(blob.id))
  const moves = free.map((blob) => {
    const move = moveBlob(clearing, lease, blob).finally(() => busy.delete(blob.id))
    busy.set(blob.id, move)
    return move
  })
  const outcomes = await Promise.allSettled(moves)
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  return outcomes.every((outcome) => outcome.status === 'fulfilled' && outcome.value)
}

async function moveBlob({ table, appender }: Clearing, { file }: SegmentLease, blob: StoredBlob): Promise<boolean> {
  const record = await readRecord(file, blob)
  if (record === undefined) return false
  await appender.append(blob.id, record, (place) => table.put(blob.id, place))
  return true
}

/** Header and bytes; `undefined` when they do not belong to this blob. */
async function readRecord(file: SegmentLease['file'], { id, segment, offset, size }: Place & { id: BlobId }) {
  const record = await readUpTo(file, offset, headerBytes + size)
  const header = parseRecordHeader(record.subarray(0, headerBytes), segment, offset)
  const sound = header?.kind === 'blob' && header.id === id && header.length === size
  return sound && crc32(record.subarray(headerBytes)) === header.crc ? record : undefined
}

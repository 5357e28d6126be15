/**
 * Overwrites the bytes of deleted blobs where they are. Their records keep their headers, so the records after them are
 * found as before; that the bytes do not match the checksum is no damage, because the marks of the deletes are durable.
 *
 * A blob is looked for in all segments: one that was moved, or replaced by a file, may be in more than one.
 */
import type { BlobId } from '@varve/core'
import { allowing } from '../files/errno.ts'
import { writeAll } from '../files/write-all.ts'
import type { Place } from './format/places.ts'
import { headerBytes } from './format/record-format.ts'
import { type SegmentId, sortNames } from './format/segment-paths.ts'
import { loadSegment } from './load-segment.ts'
import type { SegmentDirectory } from './segment-directory.ts'

const zerosAtOnce = 1024 * 1024

/** Durable when it resolves. @throws the errors of the file system. */
export async function overwriteBlobs(directory: SegmentDirectory, ids: readonly BlobId[]): Promise<void> {
  if (ids.length === 0) return
  const { fs, paths } = directory
  const wanted = new Set(ids)
  const { segments } = sortNames(await fs.readdir(paths.directory))
  for (const segment of segments) {
    // It may be cleared out and removed at any moment.
    await allowing('ENOENT', async () => {
      const { blobs } = await loadSegment(fs, paths, segment)
      await overwrite(
        directory,
        segment,
        blobs.filter(({ id }) => wanted.has(id)),
      )
    })
  }
}

/** As `overwriteBlobs`, where the places are known: nothing else has the bytes. */
export async function overwritePlaces(directory: SegmentDirectory, places: readonly Place[]): Promise<void> {
  const bySegment = new Map<SegmentId, Place[]>()
  for (const place of places) bySegment.set(place.segment, [...(bySegment.get(place.segment) ?? []), place])
  for (const [segment, inSegment] of bySegment) {
    await allowing('ENOENT', () => overwrite(directory, segment, inSegment))
  }
}

async function overwrite({ fs, paths }: SegmentDirectory, segment: SegmentId, places: readonly Place[]): Promise<void> {
  if (places.length === 0) return
  const file = await fs.open(paths.segmentOf(segment), 'r+')
  try {
    const { size } = await file.stat()
    for (const range of places.map((place) => rangeOf(place, size))) {
      for (let at = range.start; at < range.end; at += zerosAtOnce) {
        await writeAll(file, Buffer.alloc(Math.min(zerosAtOnce, range.end - at)), at)
      }
    }
    await file.datasync()
  } finally {
    await file.close().catch(() => undefined)
  }
}

/** A segment that was cut off must not become longer. */
const rangeOf = ({ offset, size }: Place, fileSize: number) => ({
  start: offset + headerBytes,
  end: Math.min(offset + headerBytes + size, fileSize),
})

/** All that the segments of a directory hold, put together: what is where, and what is gone. */
import type { FileSystem } from '../files/file-system.ts'
import { inTurns } from '../files/in-turns.ts'
import { type LoadedSegment, loadSegment } from './load-segment.ts'
import { PlaceTable } from './place-table.ts'
import type { Place } from './format/places.ts'
import type { SegmentDirectory } from './segment-directory.ts'
import { type SegmentId, type SegmentPaths, sortNames } from './format/segment-paths.ts'

/** How many are read at once. */
const strideMax = 8

/** All that is there, for a store that goes on from it. */
export async function openSegments(directory: SegmentDirectory): Promise<readonly LoadedSegment[]> {
  const { fs, paths } = directory
  const { segments } = sortNames(await fs.readdir(paths.directory))
  // What is seen now must not be otherwise after a power cut: the process before may have been killed.
  if (segments.length > 0) await directory.settle()
  const loaded = await loadSegments(fs, paths, segments)
  for (const segment of loaded) if (!segment.indexed) await settle(directory, segment)
  return loaded
}

/**
 * A segment that a process left without an index: what it holds may be in the memory of the system alone, deletes too
 * that are about to be believed.
 */
async function settle(directory: SegmentDirectory, segment: LoadedSegment): Promise<void> {
  const file = await directory.fs.open(directory.paths.segmentOf(segment.id), 'r+')
  try {
    await file.sync()
  } finally {
    await file.close().catch(() => undefined)
  }
  await directory.writeIndex(segment.id, segment).catch(() => undefined)
}

export const loadSegments = (
  fs: FileSystem,
  paths: SegmentPaths,
  ids: readonly SegmentId[],
): Promise<readonly LoadedSegment[]> => inTurns(ids, (id) => loadSegment(fs, paths, id), strideMax)

/** Blobs with a mark are gone; a blob in two places is in the last of them. */
export function placesOf(segments: readonly LoadedSegment[]): PlaceTable {
  const table = new PlaceTable()
  const marked = new Set(segments.flatMap(({ marks }) => marks.map(nameOf)))
  for (const { blobs } of segments) {
    for (const blob of blobs) if (!marked.has(nameOf(blob))) table.put(blob.id, blob)
  }
  return table
}

const nameOf = ({ segment, offset }: Place): string => `${segment} ${offset}`

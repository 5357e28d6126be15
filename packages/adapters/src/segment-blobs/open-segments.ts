/** Reads all segments of a directory and combines them: the place of each blob, without the deleted ones. */
import type { FileSystem } from '../files/file-system.ts'
import { inTurns } from '../files/in-turns.ts'
import { type LoadedSegment, loadSegment } from './load-segment.ts'
import { PlaceTable } from './place-table.ts'
import type { Place } from './format/places.ts'
import type { SegmentDirectory } from './segment-directory.ts'
import { type SegmentId, type SegmentPaths, sortNames } from './format/segment-paths.ts'

/** How many segments are read at once. */
const strideMax = 8

/** The content of all segments, for a store that continues to write. */
export async function openSegments(directory: SegmentDirectory): Promise<readonly LoadedSegment[]> {
  const { fs, paths } = directory
  const { segments } = sortNames(await fs.readdir(paths.directory))
  // The last process may have been killed: what it left in the directory must be durable before it is used.
  if (segments.length > 0) await directory.settle()
  const loaded = await loadSegments(fs, paths, segments)
  for (const segment of loaded) if (!segment.indexed) await settle(directory, segment)
  return loaded
}

/**
 * Makes a segment without an index durable: its content may be only in the memory of the system, including delete marks
 * that are about to be applied.
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

/** A blob with a mark is deleted; a blob in two places is read from the last of them. */
export function placesOf(segments: readonly LoadedSegment[]): PlaceTable {
  const table = new PlaceTable()
  const marked = new Set(segments.flatMap(({ marks }) => marks.map(nameOf)))
  for (const { blobs } of segments) {
    for (const blob of blobs) if (!marked.has(nameOf(blob))) table.put(blob.id, blob)
  }
  return table
}

const nameOf = ({ segment, offset }: Place): string => `${segment} ${offset}`

/** All that the segments of a directory hold, put together: what is where, and what is gone. */
import type { FileSystem } from '../files/file-system.ts'
import { type LoadedSegment, loadSegment } from './load-segment.ts'
import { PlaceTable } from './place-table.ts'
import type { Place } from './places.ts'
import type { SegmentId, SegmentPaths } from './segment-paths.ts'

/** How many are read at once. */
const strideMax = 8

export async function loadSegments(
  fs: FileSystem,
  paths: SegmentPaths,
  ids: readonly SegmentId[],
): Promise<readonly LoadedSegment[]> {
  const loaded: LoadedSegment[] = []
  for (let i = 0; i < ids.length; i += strideMax) {
    const some = ids.slice(i, i + strideMax)
    loaded.push(...(await Promise.all(some.map((id) => loadSegment(fs, paths, id)))))
  }
  return loaded
}

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

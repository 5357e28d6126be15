/** Copies a segment without its dead values, and records what is left in it. */
import type { SegmentUsage } from './format/view-entries.ts'
import { type ReclaimParts, reclaimSegment } from './reclaim-segment.ts'
import type { ViewsWriter } from './views-writer.ts'

export interface CopyParts extends ReclaimParts {
  readonly views: ViewsWriter
  readonly usage: ReadonlyMap<number, SegmentUsage>
}

/** As `reclaimSegment`. */
export async function copySegment(parts: CopyParts, segment: number, cleared?: ReadonlySet<string>): Promise<void> {
  const dead = parts.usage.get(segment)?.dead ?? 0
  const left = await reclaimSegment(parts, segment, cleared)
  await parts.views.noteReclaimed(segment, left, dead)
}

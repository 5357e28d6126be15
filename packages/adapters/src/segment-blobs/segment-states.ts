/** The complete segments, and which of them are worth clearing out. */
import type { Place } from './format/places.ts'
import type { Gap } from './format/index-format.ts'
import type { LoadedSegment } from './load-segment.ts'
import { markBytes } from './format/mark-format.ts'
import type { PlaceTable } from './place-table.ts'
import { aligned, headerBytes } from './format/record-format.ts'
import type { SegmentId } from './format/segment-paths.ts'

export interface SegmentState {
  readonly id: SegmentId
  /** Where its last record ends. */
  readonly end: number
  /** The segments that its marks are about, with the number of those marks. */
  readonly targets: ReadonlyMap<SegmentId, number>
  /** A part of it cannot be read: it stays as it is, for a repair. */
  readonly damaged: boolean
}

export interface ClearingPolicy {
  /** A segment is cleared out when less than this share of it is needed. */
  readonly liveMin: number
  readonly segmentBytes: number
}

/** When there are more small segments than this (from many short sessions), most of them are merged. */
const smallMax = 16
const smallShare = 1 / 8

export function countTargets(marks: readonly Place[]): ReadonlyMap<SegmentId, number> {
  const targets = new Map<SegmentId, number>()
  for (const { segment } of marks) targets.set(segment, (targets.get(segment) ?? 0) + 1)
  return targets
}

/** A gap that only covers deleted records is not damage. */
export function isDamaged({ id, gaps, end, size }: LoadedSegment, marks: readonly Place[]): boolean {
  if (gaps.length === 0) return end > size
  const about = marks.filter(({ segment }) => segment === id)
  const endOf = ({ offset, size: bytes }: Place) => aligned(offset + headerBytes + bytes)
  const gone = ({ from, to }: Gap) => about.some((mark) => mark.offset <= from && to <= endOf(mark))
  return end > size || !gaps.every(gone)
}

/** Whether too little of it is needed. `nextToClear` also considers its marks. */
export const isWasteful = ({ damaged, end }: SegmentState, live: number, { liveMin }: ClearingPolicy): boolean =>
  !damaged && (live === 0 || live < liveMin * end)

/** The segment to clear out next. */
export function nextToClear(
  states: ReadonlyMap<SegmentId, SegmentState>,
  table: PlaceTable,
  { liveMin, segmentBytes }: ClearingPolicy,
  skip: ReadonlySet<SegmentId>,
): SegmentId | undefined {
  const candidates = [...states.values()]
    .filter(({ id, damaged }) => !damaged && !skip.has(id))
    .map((state) => ({ ...state, needed: neededIn(state, states, table) }))
  // Segments that need no space to clear come first, because space may be short.
  const wasteful =
    candidates.find(({ needed }) => needed === 0) ?? candidates.find(({ needed, end }) => needed < liveMin * end)
  if (wasteful !== undefined) return wasteful.id
  const small = candidates.filter(({ needed }) => needed < smallShare * segmentBytes)
  if (small.length <= smallMax) return undefined
  return small.reduce((a, b) => (b.needed < a.needed ? b : a)).id
}

/** Bytes that clearing it would write again. */
function neededIn(
  { id, targets }: SegmentState,
  states: ReadonlyMap<SegmentId, SegmentState>,
  table: PlaceTable,
): number {
  let marks = 0
  for (const [target, count] of targets) if (target !== id && states.has(target)) marks += count
  return table.liveIn(id) + marks * markBytes
}

/** Places on the chart of a timeline: place 0 is before the first slice, place 1 behind it, and so on. */

import type { Slice } from './density.ts'

/** The position of the log at a place. */
export function positionAt(slices: readonly Slice[], place: number): number {
  const [before, next] = [slices[place - 1], slices[place]]
  return before?.last ?? (next === undefined ? 0 : next.last - next.events)
}

/** The place of a position: behind all slices that are over then. */
export function placeOf(slices: readonly Slice[], position: number | undefined): number {
  if (position === undefined) return slices.length
  const next = slices.findIndex(({ last }) => last > position)
  return next === -1 ? slices.length : next
}

/** The next place in a direction at which the log has another position: slices without events are passed over. */
export function nextPlace(slices: readonly Slice[], position: number, direction: -1 | 1): number {
  const isBeyond = (place: number): boolean => (positionAt(slices, place) - position) * direction > 0
  const places = slices.map((_, index) => index + (direction === 1 ? 1 : 0))
  const found = direction === 1 ? places.find(isBeyond) : places.findLast(isBeyond)
  return found ?? (direction === 1 ? slices.length : 0)
}

/** The moment of a place. `undefined` is now: the end of a chart that ends now. */
export function momentAt(slices: readonly Slice[], place: number, endsNow: boolean): string | undefined {
  const position = positionAt(slices, place)
  return endsNow && position >= positionAt(slices, slices.length) ? undefined : String(position)
}

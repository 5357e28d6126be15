/** Values that may be at hand, or lie in the log. */
import type { Place } from './log-position.ts'
import type { Pin, SegmentFiles } from './segment-files.ts'

/** `undefined`: no such row. */
export type Found = Uint8Array | Place | undefined

export const isPlace = (found: Found): found is Place => found !== undefined && 'segment' in found

/** Reads what is not at hand, all at the same time. */
export function readPlaces<T extends Found>(
  files: SegmentFiles,
  pin: Pin,
  found: readonly T[],
): Promise<(Exclude<T, Place> | Uint8Array)[]> {
  return Promise.all(found.map(async (each) => (isPlace(each) ? files.read(each, pin) : (each as Exclude<T, Place>))))
}

/** Values that may be at hand, or lie in the log. */
import { allDone } from '../files/all-done.ts'
import type { Place } from './format/log-position.ts'
import type { Pin, SegmentFiles } from './segment-files.ts'

/** `undefined`: nothing is known of the row; `null`: it was removed. */
export type Found = Uint8Array | Place | null | undefined

/** The value for a reader: `undefined` when there is no such row. */
export type Value = Uint8Array | undefined

export const isPlace = (found: Found): found is Place => found !== undefined && found !== null && 'segment' in found

/** Of what is at hand. */
export const valueOf = (found: Found): Value => (isPlace(found) || found === null ? undefined : found)

/** Reads what is not at hand, all at the same time. */
export const readPlaces = (files: SegmentFiles, pin: Pin, found: readonly Found[]): Promise<Value[]> =>
  allDone(
    found.map(async (each) =>
      isPlace(each) ? (files.readSync(each, pin) ?? (await files.read(each, pin))) : valueOf(each),
    ),
  )

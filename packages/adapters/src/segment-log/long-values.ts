/** Values that are in memory or in the log. */
import { allDone } from '../files/all-done.ts'
import type { Place } from './format/log-position.ts'
import type { Pin, SegmentFiles } from './segment-files.ts'

/** `undefined`: the row was not found here; `null`: it was removed. */
export type Found = Uint8Array | Place | null | undefined

/** The value for a reader: `undefined` when there is no such row. */
export type Value = Uint8Array | undefined

export const isPlace = (found: Found): found is Place => found !== undefined && found !== null && 'segment' in found

/** The value, if it is in memory. */
export const valueOf = (found: Found): Value => (isPlace(found) || found === null ? undefined : found)

/** Reads the values that are not in memory, all at the same time. */
export const readPlaces = (files: SegmentFiles, pin: Pin, found: readonly Found[]): Promise<Value[]> =>
  allDone(
    found.map(async (each) =>
      isPlace(each) ? (files.readSync(each, pin) ?? (await files.read(each, pin))) : valueOf(each),
    ),
  )

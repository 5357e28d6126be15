/** Finds the bytes of an upload that no version ever had and that wait for their erasure. */
import type { Seq } from '../ports/index.ts'
import { type GarbagePlace, garbageTable } from './content-tables.ts'
import type { Rows } from './row-reader.ts'
import type { GarbageRow, PastPartRow } from './rows.ts'
import { completionTable, pastPartTable, pastUploadTable } from './tables.ts'

/** Parts that were freed together, and where they wait. */
export interface UnseenParts {
  readonly place: GarbagePlace
  readonly garbage: GarbageRow
}

/** An upload by its key and the event that started it. */
export interface UploadInKey {
  readonly bucket: string
  readonly key: string
  readonly upload: Seq
}

/** Parts that were replaced; of an upload that has ended, also those that are in no object. */
export async function unseenParts(rows: Rows, { bucket, key, upload }: UploadInKey): Promise<readonly UnseenParts[]> {
  const ended = (await rows.get(pastUploadTable.key(bucket, key, upload)))?.until
  const isCompleted = ended !== undefined && (await rows.get(completionTable.key(upload))) !== undefined
  const places: GarbagePlace[] = []
  let unused = 0
  for (const { row } of await rows.all<PastPartRow>(pastPartTable.ofUpload(upload))) {
    // A completion numbers the parts that it frees from 1: it may free a version too.
    places.push({ freedBy: row.until, index: row.until === ended ? ++unused : 0 })
  }
  if (ended !== undefined && !isCompleted) places.push({ freedBy: ended, index: 0 })
  const found: UnseenParts[] = []
  for (const place of places) {
    const garbage = await rows.get(garbageTable.key(place))
    if (garbage !== undefined && garbage.since === undefined) found.push({ place, garbage })
  }
  return found
}

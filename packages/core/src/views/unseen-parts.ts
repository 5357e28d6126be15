/** Finds the bytes of an upload that no version ever had: those that wait for their erasure, and those that are erased. */
import type { Seq } from '../ports/index.ts'
import { type GarbagePlace, garbageTable } from './content-tables.ts'
import type { Rows } from './row-reader.ts'
import type { GarbageRow, PastPartRow } from './rows.ts'
import { completionTable, pastPartTable, pastUploadTable } from './tables.ts'

/** An upload by its key and the event that started it. */
export interface UploadInKey {
  readonly bucket: string
  readonly key: string
  readonly upload: Seq
}

/** Parts that were freed together, and where they wait. */
export interface UnseenParts {
  readonly place: GarbagePlace
  readonly garbage: GarbageRow
}

/** A part by the event that added it, and where it waited once it was freed. */
export interface FreedPart {
  readonly added: Seq
  readonly place: GarbagePlace
}

export interface FreedParts {
  /** Parts that were replaced, those that the object of the upload does not have, and those of an abort that were erased. */
  readonly parts: readonly FreedPart[]
  /** Where the last parts of an aborted upload waited. */
  readonly aborted: GarbagePlace | undefined
}

export async function freedParts(rows: Rows, { bucket, key, upload }: UploadInKey): Promise<FreedParts> {
  const ended = (await rows.get(pastUploadTable.key(bucket, key, upload)))?.until ?? Number.POSITIVE_INFINITY
  const isCompleted = ended < Number.POSITIVE_INFINITY && (await rows.get(completionTable.key(upload))) !== undefined
  const aborted = ended < Number.POSITIVE_INFINITY && !isCompleted ? { freedBy: ended, index: 0 } : undefined
  const parts: FreedPart[] = []
  let unused = 0
  for (const { key: bytes, row } of await rows.all<PastPartRow>(pastPartTable.ofUpload(upload))) {
    const added = pastPartTable.added(bytes)
    if (row.until < ended) parts.push({ added, place: { freedBy: row.until, index: 0 } })
    // A completion numbers the parts that it frees from 1: it may free a version too.
    else if (row.until === ended) parts.push({ added, place: { freedBy: ended, index: ++unused } })
    // The erasure ended it. What ended later in a completed upload was the object's.
    else if (aborted !== undefined) parts.push({ added, place: aborted })
  }
  return { parts, aborted }
}

export async function unseenParts(rows: Rows, upload: UploadInKey): Promise<readonly UnseenParts[]> {
  const { parts, aborted } = await freedParts(rows, upload)
  const places = parts.map(({ place }) => place).filter((place) => place !== aborted)
  const found: UnseenParts[] = []
  for (const place of aborted === undefined ? places : [...places, aborted]) {
    const garbage = await rows.get(garbageTable.key(place))
    if (garbage !== undefined && garbage.since === undefined) found.push({ place, garbage })
  }
  return found
}

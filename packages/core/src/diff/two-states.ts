/** The same store at two positions. */
import type { ObjectAspect } from '../api/types/index.ts'
import type { Hashing, RowReader, Seq } from '../ports/index.ts'
import { asOf } from '../reads/as-of.ts'
import type { PastSnapshot } from '../reads/read-snapshot.ts'
import type { BucketRow } from '../views/rows.ts'
import type { VersionRow } from '../views/version-row.ts'
import { type AnnotatedObject, aspectsOf } from './same-object.ts'

/** One bucket in one state. */
export interface BucketState {
  readonly at: Seq
  readonly snapshot: PastSnapshot
  readonly row: BucketRow | undefined
}

export type TwoStates = readonly [before: BucketState, after: BucketState]

export async function stateAt(reader: RowReader, hashing: Hashing, bucket: string, at: Seq): Promise<BucketState> {
  const snapshot = asOf(reader, hashing, at)
  return { at, snapshot, row: await snapshot.bucket(bucket) }
}

/** An object in two states, and what it differs in. One of them may not have it. */
export interface ObjectDifference {
  readonly key: string
  readonly before?: AnnotatedObject
  readonly after?: AnnotatedObject
  readonly aspects: readonly ObjectAspect[]
}

/** `undefined` if both states have the same object, or none. */
export async function compareKey(
  [before, after]: TwoStates,
  { bucket, key, rows }: { readonly bucket: string; readonly key: string; readonly rows: readonly [Found, Found] },
): Promise<ObjectDifference | undefined> {
  const [then, now] = rows
  if (then?.seq === now?.seq && !isAnnotated(before) && !isAnnotated(after)) return undefined
  const a = await annotated(before, { bucket, key, row: then })
  const b = await annotated(after, { bucket, key, row: now })
  if (a === undefined) return b && { key, after: b, aspects: [] }
  if (b === undefined) return { key, before: a, aspects: [] }
  const aspects = aspectsOf(a, b)
  return aspects.length === 0 ? undefined : { key, before: a, after: b, aspects }
}

const isAnnotated = ({ row }: BucketState): boolean => row?.annotated === true

/** A version; `undefined` for none and for a delete marker. */
export type Found = AnnotatedObject['row'] | undefined

export const objectOf = (row: VersionRow | undefined): Found => (row?.deleteMarker === false ? row : undefined)

async function annotated(
  { snapshot, row: bucketRow }: BucketState,
  { bucket, key, row }: { readonly bucket: string; readonly key: string; readonly row: Found },
): Promise<AnnotatedObject | undefined> {
  if (row === undefined || bucketRow === undefined) return undefined
  return { row, annotations: await snapshot.annotations(bucketRow, { bucket, key, row }) }
}

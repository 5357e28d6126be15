/** The current annotations of a version: those it was created with, and later changes. */
import { type Soon, whenThere } from '../base/soon.ts'
import type { Seq } from '../ports/index.ts'
import type { Annotations } from '../settings/annotation.ts'
import type { AnnotationRow, BucketRow } from '../views/rows.ts'
import type { ObjectVersionRow } from '../views/version-row.ts'
import type { Rows } from '../views/row-reader.ts'
import { annotationRowIn } from '../views/annotation-rows.ts'
import { annotationTable } from '../views/tables.ts'
import { describingPlace, type KeyThen } from '../views/versions-in.ts'

/** A version with its bucket and key. */
export interface PlacedVersion {
  readonly bucket: string
  readonly key: string
  readonly row: ObjectVersionRow
}

/** The current annotations. Reads one more row, but only in buckets that have annotations. */
export function annotationsIn(
  rows: Rows,
  bucketRow: AnnotatedBucket,
  { bucket, key, row }: PlacedVersion,
): Soon<Annotations> {
  if (!isFork(bucketRow) && bucketRow.annotated === undefined) return merged(row.facts, undefined)
  const later = isFork(bucketRow)
    ? annotationRow(rows, { bucket, row: bucketRow, key }, row.seq)
    : rows.get(annotationTable.key(bucket, key, row.seq))
  return whenThere(later, (found) => merged(row.facts, found))
}

/** The annotations after event `at`. Reads rows only in buckets that had annotations then. */
export async function annotationsAt(
  rows: Rows,
  bucketRow: AnnotatedBucket,
  { bucket, key, row, at }: PlacedVersion & { readonly at: Seq },
): Promise<Annotations> {
  const later = isFork(bucketRow)
    ? annotationRow(rows, { bucket, row: bucketRow, key, at }, row.seq)
    : annotationRowIn(rows, { bucket, row: bucketRow, key, at }, row.seq)
  return merged(row.facts, await later)
}

/** The row of a bucket, or what is known to be in it. */
type AnnotatedBucket = BucketRow | Pick<BucketRow, 'annotated'>

const isFork = (row: AnnotatedBucket): row is BucketRow => 'base' in row && row.base !== undefined

/** In a fork, the rows of its base describe most versions. */
const annotationRow = async (rows: Rows, place: KeyThen, version: Seq): Promise<AnnotationRow | undefined> =>
  annotationRowIn(rows, await describingPlace(rows, place, version), version)

const nothing: Annotations = {}

function merged(made: Annotations, later: AnnotationRow | undefined): Annotations {
  const both: Partial<Omit<AnnotationRow, 'since'>> = later === undefined ? made : { ...made, ...later }
  const { tags, acl, retention, legalHold } = both
  // The usual case: no new object is created for it.
  if (!tags && !acl && !retention && !legalHold) return nothing
  return {
    ...(tags && { tags }),
    ...(acl && { acl }),
    ...(retention && { retention }),
    ...(legalHold && { legalHold }),
  }
}

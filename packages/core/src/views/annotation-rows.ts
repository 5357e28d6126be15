import type { Seq } from '../ports/index.ts'
import type { Rows } from './row-reader.ts'
import type { AnnotationRow, BucketRow, Past } from './rows.ts'
import { annotationTable, pastAnnotationTable } from './tables.ts'
import type { KeyThen } from './versions-in.ts'

/** A key of a bucket, of which only this much need be known. */
type AnnotatedKey = Omit<KeyThen, 'row'> & { readonly row: Pick<BucketRow, 'annotated'> | undefined }

/** The annotations that were added to a version, now or after event `at`. The rows of the bucket describe the version. */
export async function annotationRowIn(
  rows: Rows,
  { bucket, row, key, at }: AnnotatedKey,
  version: Seq,
): Promise<AnnotationRow | undefined> {
  if (row?.annotated === undefined) return undefined
  const live = await rows.get(annotationTable.key(bucket, key, version))
  if (at === undefined || (live !== undefined && live.since <= at)) return live
  const past = await pastAnnotation(rows, { bucket, key, version, at })
  if (past === undefined) return undefined
  const { until: _until, ...then } = past
  return then as AnnotationRow
}

interface AnnotatedThen {
  readonly bucket: string
  readonly key: string
  readonly version: Seq
  readonly at: Seq
}

async function pastAnnotation(
  rows: Rows,
  { bucket, key, version, at }: AnnotatedThen,
): Promise<Past<AnnotationRow> | undefined> {
  const question = `annotation ${at} ${bucket} ${version} ${key}`
  const known = rows.answers?.answer(question)
  if (known !== undefined)
    return known.seq === 0 ? undefined : rows.get(pastAnnotationTable.key(bucket, key, version, known.seq))
  const found = (await rows.first<Past<AnnotationRow>>(pastAnnotationTable.from(bucket, key, { version, at })))?.row
  const past = found !== undefined && at < found.until ? found : undefined
  rows.answers?.keepAnswer(question, { seq: past?.since ?? 0, in: 'past' })
  return past
}

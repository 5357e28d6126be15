import type { Seq } from '../ports/index.ts'
import type { Rows } from './row-reader.ts'
import type { AnnotationRow, Past } from './rows.ts'
import { annotationTable, pastAnnotationTable } from './tables.ts'
import type { KeyThen } from './versions-in.ts'

/** The annotations that were added to a version, now or after event `at`. The rows of the bucket describe the version. */
export async function annotationRowIn(
  rows: Rows,
  { bucket, row, key, at }: KeyThen,
  version: Seq,
): Promise<AnnotationRow | undefined> {
  if (row?.annotated === undefined) return undefined
  const live = await rows.get(annotationTable.key(bucket, key, version))
  if (at === undefined || (live !== undefined && live.since <= at)) return live
  const past = await rows.first<Past<AnnotationRow>>(pastAnnotationTable.from(bucket, key, { version, at }))
  if (past === undefined || at >= past.row.until) return undefined
  const { until: _until, ...then } = past.row
  return then as AnnotationRow
}

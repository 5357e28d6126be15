import { type Soon, whenThere } from '../base/soon.ts'
import type { RecordedEvent } from '../events/index.ts'
import { takeOver } from './borrow.ts'
import type { Seq } from '../ports/index.ts'
import { type AnnotationEventType, annotationKindOf } from '../settings/annotation.ts'
import { bucketWithRows } from './incarnation.ts'
import type { AnnotationRow, Past } from './rows.ts'
import type { RowTransaction } from './row-transaction.ts'
import { annotationTable, bucketTable, pastAnnotationTable } from './tables.ts'

export async function projectAnnotation(
  rows: RowTransaction,
  event: RecordedEvent<AnnotationEventType>,
): Promise<void> {
  const { bucket, key, version, value = null } = event.data
  await takeOver(rows, event, { versions: [version] })
  const before = await endAnnotation(rows, { bucket, key, version, until: event.seq })
  const annotated = { [annotationKindOf(event.type)]: value }
  rows.put(annotationTable.key(bucket, key, version), { ...before, ...annotated, since: event.seq })
  const row = await rows.get(bucketTable.key(bucket))
  // Clients do not see this change: it only records that annotations exist.
  if (row !== undefined && row.annotated === undefined) rows.put(bucketTable.key(bucket), { ...row, annotated: true })
}

/** A removed version is there again, with the annotations that it had. */
export async function takeAnnotationBack(
  rows: RowTransaction,
  { bucket, key, version, until }: EndingAnnotation,
): Promise<void> {
  if ((await rows.get(bucketTable.key(bucket)))?.annotated === undefined) return
  const found = await rows.first<Past<AnnotationRow>>(pastAnnotationTable.from(bucket, key, { version, at: until }))
  if (found?.row.until !== until) return
  const { until: _until, ...row } = found.row
  rows.delete(pastAnnotationTable.key(bucket, key, version, row.since))
  rows.put(annotationTable.key(bucket, key, version), row as AnnotationRow)
}

interface EndingAnnotation {
  readonly bucket: string
  readonly key: string
  readonly version: Seq
  readonly until: Seq
}

/** Moves the annotations of a version to the past tables, if it has any. */
export function endAnnotation(
  rows: RowTransaction,
  { bucket, key, version, until }: EndingAnnotation,
): Soon<AnnotationRow | undefined> {
  const place = annotationTable.key(bucket, key, version)
  const annotation = whenThere(bucketWithRows(rows, bucket), (row) =>
    row?.annotated === undefined ? undefined : rows.get(place),
  )
  return whenThere(annotation, (row) => {
    if (row === undefined) return undefined
    rows.delete(place)
    rows.put(pastAnnotationTable.key(bucket, key, version, row.since), { ...row, until })
    return row
  })
}

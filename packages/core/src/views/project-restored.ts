/** A removed version that is there again. */
import type { RecordedEvent } from '../events/index.ts'
import { StorageError } from '../base/errors.ts'
import { takeContentBack } from './contents.ts'
import { takeAnnotationBack } from './project-annotation.ts'
import { ownNewest } from './own-versions.ts'
import type { RowTransaction } from './row-transaction.ts'
import type { BucketRow } from './rows.ts'
import {
  bucketTable,
  currentTable,
  newestChangeTable,
  nullChangeTable,
  nullTable,
  pastVersionTable,
  versionTable,
} from './tables.ts'
import { countUsage } from './usage.ts'
import type { VersionRow } from './version-row.ts'

export async function projectRestored(rows: RowTransaction, event: RecordedEvent<'VersionRestored'>): Promise<void> {
  const { bucket, key, version, removed } = event.data
  const past = await rows.get(pastVersionTable.key(bucket, key, version))
  if (past === undefined)
    throw new StorageError('RowCorrupt', `The row of version ${version} is missing.`, { details: { seq: version } })
  const row = past.restored(event.seq)
  const place = await rows.get(bucketTable.key(bucket))
  // Without versioning, a key has one version, and needs no pointer to it.
  if (place?.versioning !== undefined) await pointAtNull(rows, event, row)
  await makeNewest(rows, event, { row, place })
  rows.delete(pastVersionTable.key(bucket, key, version))
  rows.put(versionTable.key(bucket, key, version), row)
  await takeAnnotationBack(rows, { bucket, key, version, until: removed })
  const home = place?.incarnation ?? 0
  if (!row.deleteMarker) await takeContentBack(rows, row.facts.content, { removedBy: removed, home })
  if (!row.deleteMarker && version > home) await countUsage(rows, home, { versions: 1 })
  // Clients do not see this change: it only records that such versions exist.
  if (place !== undefined && place.restored === undefined)
    rows.put(bucketTable.key(bucket), { ...place, restored: true })
}

/** Only if no version was added after it that still exists. */
async function makeNewest(
  rows: RowTransaction,
  { seq, data: { bucket, key } }: RecordedEvent<'VersionRestored'>,
  { row, place }: { readonly row: VersionRow; readonly place: BucketRow | undefined },
): Promise<void> {
  const newest = await ownNewest(rows, { bucket, row: place, key })
  if (newest !== undefined && newest.seq > row.seq) return
  rows.put(newestChangeTable.key(bucket, key, seq), { version: row.seq })
  if (row.deleteMarker) rows.delete(currentTable.key(bucket, key))
  else rows.put(currentTable.key(bucket, key), row)
}

/** A null version needs a pointer only if it is not the oldest version of its key: see `findNull`. */
async function pointAtNull(
  rows: RowTransaction,
  { seq, data: { bucket, key } }: RecordedEvent<'VersionRestored'>,
  row: VersionRow,
): Promise<void> {
  const oldest = (await rows.first<VersionRow>(versionTable.ofKey(bucket, key, true)))?.row
  const pointer = nullTable.key(bucket, key)
  if (!row.nullVersion) {
    const isOlder = oldest !== undefined && row.seq < oldest.seq
    if (isOlder && oldest.nullVersion) rows.put(pointer, { seq: oldest.seq })
    return
  }
  rows.put(nullChangeTable.key(bucket, key, seq), { version: row.seq })
  if (oldest !== undefined && oldest.seq < row.seq) rows.put(pointer, { seq: row.seq })
  else if ((await rows.get(pointer)) !== undefined) rows.delete(pointer)
}

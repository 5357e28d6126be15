/**
 * Finds one version of a key in the newest state, in O(1) rows, however many versions the key has. In a fork, also where
 * only its base has the version.
 */
import type { VersionRef } from '../commands/command.ts'
import type { EventPlace } from '../base/epoch.ts'
import type { Soon } from '../base/soon.ts'
import type { Seq } from '../ports/index.ts'
import type { BucketRow } from './rows.ts'
import type { VersionRow } from './version-row.ts'
import type { Rows } from './row-reader.ts'
import { bucketTable, currentTable } from './tables.ts'
import { newestIn, nullIn, olderIn, versionIn } from './versions-in.ts'

/** The newest version of the key, which may be a delete marker. */
export const findNewest = async (rows: Rows, bucket: string, key: string): Promise<VersionRow | undefined> =>
  newestIn(rows, { bucket, row: await rows.get(bucketTable.key(bucket)), key })

/**
 * The version before `seq` in time: it becomes the newest when the newest version `seq` is removed.
 * @throws StorageError `NotImplemented` in a fork, if too many versions of the key are gone in between
 */
export const findOlder = async (rows: Rows, bucket: string, key: string, seq: Seq): Promise<VersionRow | undefined> =>
  olderIn(rows, { bucket, row: await rows.get(bucketTable.key(bucket)), key }, seq)

/** The version that a write without a version id replaces, if any. */
export function findReplaced(
  rows: Rows,
  row: BucketRow | undefined,
  bucket: string,
  key: string,
): Soon<VersionRow | undefined> {
  if (row === undefined || row.versioning === 'Enabled') return undefined
  if (row.versioning !== undefined) return nullIn(rows, { bucket, row, key })
  return row.base === undefined ? rows.get(currentTable.key(bucket, key)) : newestIn(rows, { bucket, row, key })
}

/** A version by its position, whatever clients call it. */
export const findVersionAt = async (
  rows: Rows,
  bucket: string,
  key: string,
  seq: Seq,
): Promise<VersionRow | undefined> =>
  (await versionIn(rows, { bucket, row: await rows.get(bucketTable.key(bucket)), key }, seq))?.row

/** The row, if an id of this place names it: null versions have another id, and another branch of the log has other versions. */
export const named = (row: VersionRow | undefined, { epoch }: EventPlace): VersionRow | undefined =>
  row?.nullVersion === false && row.epoch === epoch ? row : undefined

/** A version as clients name it. */
export async function findVersion(
  rows: Rows,
  bucket: string,
  key: string,
  version: VersionRef,
): Promise<VersionRow | undefined> {
  if (version === null) return nullIn(rows, { bucket, row: await rows.get(bucketTable.key(bucket)), key })
  return named(await findVersionAt(rows, bucket, key, version.seq), version)
}

/** Finds one version of a key in O(1) rows, however many versions the key has. */
import type { VersionRef } from '../commands/command.ts'
import type { Seq } from '../ports/index.ts'
import type { BucketRow } from '../views/rows.ts'
import type { VersionRow } from '../views/version-row.ts'
import type { Rows } from '../views/row-reader.ts'
import { currentTable, nullTable, versionTable } from '../views/tables.ts'

/** The newest version of the key, which may be a delete marker. */
export async function findNewest(rows: Rows, bucket: string, key: string): Promise<VersionRow | undefined> {
  const current = await rows.get(currentTable.key(bucket, key))
  return current ?? (await rows.first<VersionRow>(versionTable.ofKey(bucket, key)))?.row
}

/** The version before `seq` in time: it becomes the newest when the newest version `seq` is removed. */
export async function findOlder(rows: Rows, bucket: string, key: string, seq: Seq): Promise<VersionRow | undefined> {
  const range = { ...versionTable.ofKey(bucket, key), gte: versionTable.from(bucket, key, seq - 1) }
  return (await rows.first<VersionRow>(range))?.row
}

/**
 * The null version of a key. If it was written before versioning was ever set, it is the oldest version of the key. If
 * it was written later, while versioning was suspended, a pointer row names it.
 */
async function findNull(rows: Rows, bucket: string, key: string): Promise<VersionRow | undefined> {
  const pointer = await rows.get(nullTable.key(bucket, key))
  if (pointer !== undefined) return rows.get(versionTable.key(bucket, key, pointer.seq))
  const oldest = (await rows.first<VersionRow>(versionTable.ofKey(bucket, key, true)))?.row
  return oldest?.nullVersion ? oldest : undefined
}

/** The version that a write without a version id replaces, if any. */
export async function findReplaced(
  rows: Rows,
  bucket: BucketRow | undefined,
  name: string,
  key: string,
): Promise<VersionRow | undefined> {
  if (bucket === undefined || bucket.versioning === 'Enabled') return undefined
  return bucket.versioning === undefined ? rows.get(currentTable.key(name, key)) : findNull(rows, name, key)
}

export async function findVersion(
  rows: Rows,
  bucket: string,
  key: string,
  version: VersionRef,
): Promise<VersionRow | undefined> {
  if (version === null) return findNull(rows, bucket, key)
  const row = await rows.get(versionTable.key(bucket, key, version))
  return row?.nullVersion ? undefined : row
}

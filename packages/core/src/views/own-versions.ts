/** Finds one version of a key among the rows of one bucket, in the newest state. Rows of the base of a fork are not read. */
import type { Seq } from '../ports/index.ts'
import type { Rows } from './row-reader.ts'
import { currentTable, nullTable, versionTable } from './tables.ts'
import type { VersionRow } from './version-row.ts'

/** The newest version of the key, which may be a delete marker. */
export async function ownNewest(rows: Rows, bucket: string, key: string): Promise<VersionRow | undefined> {
  const current = await rows.get(currentTable.key(bucket, key))
  return current ?? (await rows.first<VersionRow>(versionTable.ofKey(bucket, key)))?.row
}

/** The version before `seq` in time. */
export async function ownOlder(rows: Rows, bucket: string, key: string, seq: Seq): Promise<VersionRow | undefined> {
  const range = { ...versionTable.ofKey(bucket, key), gte: versionTable.from(bucket, key, seq - 1) }
  return (await rows.first<VersionRow>(range))?.row
}

/**
 * The null version of a key. If it was written before versioning was ever set, it is the oldest version of the key. If
 * it was written later, while versioning was suspended, a pointer row names it.
 */
export async function ownNull(rows: Rows, bucket: string, key: string): Promise<VersionRow | undefined> {
  const pointer = await rows.get(nullTable.key(bucket, key))
  if (pointer !== undefined) return rows.get(versionTable.key(bucket, key, pointer.seq))
  const oldest = (await rows.first<VersionRow>(versionTable.ofKey(bucket, key, true)))?.row
  return oldest?.nullVersion ? oldest : undefined
}

/** Finds one version of a key among the rows of one bucket, in the newest state. Rows of the base of a fork are not read. */
import { type Soon, whenThere } from '../base/soon.ts'
import type { Seq } from '../ports/index.ts'
import type { Rows } from './row-reader.ts'
import type { BucketRow } from './rows.ts'
import { currentTable, nullTable, versionTable } from './tables.ts'
import type { VersionRow } from './version-row.ts'

/** A key of a bucket whose row is known. */
export interface KeyInBucket {
  readonly bucket: string
  readonly row: BucketRow | undefined
  readonly key: string
}

/**
 * Without versioning, a key has one version, which is the current one. Then nothing is sought: a search for what is not
 * there steps over all rows that were deleted behind it. A fork can have versions of its base.
 */
const hasOneVersion = ({ row }: KeyInBucket): boolean =>
  row !== undefined && row.versioning === undefined && row.base === undefined

/** The newest version of the key, which may be a delete marker. */
export function ownNewest(rows: Rows, place: KeyInBucket): Soon<VersionRow | undefined> {
  const { bucket, key } = place
  return whenThere(rows.get(currentTable.key(bucket, key)), (current) =>
    current !== undefined || hasOneVersion(place) ? current : firstVersion(rows, place),
  )
}

async function firstVersion(rows: Rows, { bucket, key }: KeyInBucket): Promise<VersionRow | undefined> {
  return (await rows.first<VersionRow>(versionTable.ofKey(bucket, key)))?.row
}

/** The version before `seq` in time. */
export async function ownOlder(rows: Rows, place: KeyInBucket, seq: Seq): Promise<VersionRow | undefined> {
  if (hasOneVersion(place)) return undefined
  const { bucket, key } = place
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

/**
 * Finds one version of a key in a bucket, now or after an event. Where a fork has no rows of its own, its base has the
 * version: the bucket that it began as, as it was then. A base may be a fork too.
 *
 * Invariant: from the first event of a fork about a key on, the newest version of the key is among the fork's own rows.
 * Until then the key is as in the base.
 */
import { StorageError } from '../base/errors.ts'
import type { Seq } from '../ports/index.ts'
import { bucketRowAt } from './bucket-row-at.ts'
import { borrowedTable, ownKeyTable } from './fork-tables.ts'
import { ownNewest, ownNull, ownOlder } from './own-versions.ts'
import { changedNullAt, existing, newestAt, nullAt } from './past-versions.ts'
import type { Rows } from './row-reader.ts'
import type { BucketRow } from './rows.ts'
import { pastVersionTable, versionTable } from './tables.ts'
import type { VersionRow } from './version-row.ts'

/** A key of a bucket, in the newest state or after event `at`. `row`: that of the bucket then. */
export interface KeyThen {
  readonly bucket: string
  readonly row: BucketRow | undefined
  readonly key: string
  readonly at?: Seq
}

/** A version, and the bucket whose rows describe it. */
export interface PlacedRow {
  readonly row: VersionRow
  readonly place: KeyThen
}

/** How many versions of a base are looked at for one that is left. */
export const stepsMax = 1000

/** The key as the base of a fork has it. `undefined` if the bucket is no fork. */
export async function inBase(rows: Rows, { row, key }: KeyThen): Promise<KeyThen | undefined> {
  if (row?.base === undefined) return undefined
  const { bucket, position: at } = row.base
  return { bucket, row: await bucketRowAt(rows, bucket, at), key, at }
}

/** The newest version, which may be a delete marker. */
export async function newestIn(rows: Rows, place: KeyThen): Promise<VersionRow | undefined> {
  const base = (await isOwnKey(rows, place)) ? undefined : await inBase(rows, place)
  if (base !== undefined) return newestIn(rows, base)
  const { bucket, key, at } = place
  return at === undefined ? ownNewest(rows, place) : newestAt(rows, { bucket, key }, at)
}

/** Whether the rows of the bucket itself describe the newest version of the key. */
async function isOwnKey(rows: Rows, { row, key, at = Number.POSITIVE_INFINITY }: KeyThen): Promise<boolean> {
  if (row?.base === undefined) return true
  const own = await rows.get(ownKeyTable.key(row.incarnation, key))
  return own !== undefined && own.since <= at
}

/** The bucket whose rows describe a version, and its state: the bucket itself, or a base of the fork. */
export async function describingPlace(rows: Rows, place: KeyThen, version: Seq): Promise<KeyThen> {
  const base = (await isOwnVersion(rows, place, version)) ? undefined : await inBase(rows, place)
  return base === undefined ? place : describingPlace(rows, base, version)
}

/** The bucket that a version was added to: the bucket itself, or a base of the fork. */
export async function originOf(rows: Rows, place: KeyThen, version: Seq): Promise<string> {
  const { row, bucket } = place
  const base = row?.base === undefined || version > row.base.position ? undefined : await inBase(rows, place)
  return base === undefined ? bucket : originOf(rows, base, version)
}

/** A version by its position. */
export async function versionIn(rows: Rows, then: KeyThen, version: Seq): Promise<PlacedRow | undefined> {
  const place = await describingPlace(rows, then, version)
  const { bucket, key, at } = place
  const row =
    at === undefined
      ? await rows.get(versionTable.key(bucket, key, version))
      : await existing(rows, { bucket, key }, { version, at })
  return row && { row, place }
}

/** Whether the rows of the bucket itself describe a version that its base may have too. */
export const isOwnVersion = async (rows: Rows, { row, key }: KeyThen, version: Seq): Promise<boolean> =>
  row?.base === undefined ||
  version > row.base.position ||
  (await rows.get(borrowedTable.key(row.incarnation, key, version))) !== undefined

/** The null version. */
export async function nullIn(rows: Rows, place: KeyThen): Promise<VersionRow | undefined> {
  const { bucket, row, key, at } = place
  if (row?.base !== undefined) return nullInFork(rows, place, row)
  if (at === undefined) return ownNull(rows, bucket, key)
  return row && nullAt(rows, { bucket, key }, { bucket: row, at })
}

async function nullInFork(
  rows: Rows,
  place: KeyThen,
  { versionedSince, incarnation }: BucketRow,
): Promise<VersionRow | undefined> {
  const { bucket, key, at = Number.MAX_SAFE_INTEGER } = place
  if (versionedSince === undefined) return newestIn(rows, place)
  const isSetHere = versionedSince > incarnation
  const after = isSetHere ? versionedSince : incarnation
  const changed = await changedNullAt(rows, { bucket, key }, { after, at })
  if (changed !== undefined) return changed.row
  // Versions from before versioning are null versions. What the base had may be gone in the fork.
  const base = await inBase(rows, place)
  const last = isSetHere ? await newestIn(rows, { ...place, at: versionedSince }) : base && (await nullIn(rows, base))
  return last && (await versionIn(rows, place, last.seq))?.row
}

/** The version before `seq` in time. @throws StorageError `NotImplemented` */
export function olderIn(rows: Rows, place: KeyThen, seq: Seq): Promise<VersionRow | undefined> {
  return olderWithin(rows, place, seq, { left: stepsMax })
}

interface Steps {
  left: number
}

async function olderWithin(rows: Rows, place: KeyThen, seq: Seq, steps: Steps): Promise<VersionRow | undefined> {
  const { at } = place
  const own = at === undefined ? await ownOlder(rows, place, seq) : await ownOlderAt(rows, { ...place, at }, seq, steps)
  const base = await inBase(rows, place)
  if (base === undefined) return own
  let found = await olderWithin(rows, base, seq, steps)
  while (found !== undefined && found.seq > (own?.seq ?? 0) && (await isOwnVersion(rows, place, found.seq))) {
    spend(steps)
    found = await olderWithin(rows, base, found.seq, steps)
  }
  return found !== undefined && found.seq > (own?.seq ?? 0) ? found : own
}

/** Steps over the versions that were gone then. */
async function ownOlderAt(
  rows: Rows,
  { bucket, key, at }: KeyThen & { readonly at: Seq },
  seq: Seq,
  steps: Steps,
): Promise<VersionRow | undefined> {
  for (let before = seq; ; ) {
    const found: VersionRow[] = []
    for (const table of [versionTable, pastVersionTable]) {
      const range = { ...table.ofKey(bucket, key), gte: table.from(bucket, key, Math.min(before - 1, at)) }
      const first = await rows.first<VersionRow>(range)
      if (first !== undefined) found.push(first.row)
    }
    const [next] = found.toSorted((a, b) => b.seq - a.seq)
    if (next === undefined || next.existedAt(at)) return next
    spend(steps)
    before = next.seq
  }
}

function spend(steps: Steps): void {
  if (steps.left-- > 0) return
  throw new StorageError(
    'NotImplemented',
    `More than ${stepsMax} versions of this key are gone in the fork: its next older version is not found.`,
  )
}

/** Finds one version of a key as it was after an event, in O(1) rows, however often the key was written before or later. */
import type { Seq } from '../ports/index.ts'
import type { PastAnswer, Rows } from './row-reader.ts'
import type { BucketRow, ChangeRow } from './rows.ts'
import { bucketWithRows } from './incarnation.ts'
import type { RowKey } from './row-key.ts'
import { currentTable, newestChangeTable, nullChangeTable, pastVersionTable, versionTable } from './tables.ts'
import type { VersionRow } from './version-row.ts'

export interface KeyPlace {
  readonly bucket: string
  readonly key: string
}

/** The newest version after event `at`, which may be a delete marker. */
export async function newestAt(rows: Rows, place: KeyPlace, at: Seq): Promise<VersionRow | undefined> {
  const { answers } = rows
  if (answers === undefined) return soughtNewest(rows, place, at)
  const question = `newest ${at} ${place.bucket} ${place.key}`
  const answer = answers.answer(question)
  const known = answer && (await rows.get(rowOf(place, answer)))
  if (known?.seq === answer?.seq && known?.existedAt(at) === true) return known
  // The row has moved since; that of a dropped fork may be gone.
  const moved = answer && (await existing(rows, place, { version: answer.seq, at }))
  const found = moved ?? (await soughtNewest(rows, place, at))
  if (found !== undefined) answers.keepAnswer(question, { seq: found.seq, in: await tableOf(rows, place, found) })
  return found
}

const rowOf = ({ bucket, key }: KeyPlace, { seq, in: table }: PastAnswer): RowKey<VersionRow> =>
  table === 'current'
    ? currentTable.key(bucket, key)
    : (table === 'past' ? pastVersionTable : versionTable).key(bucket, key, seq)

async function tableOf(rows: Rows, { bucket, key }: KeyPlace, { seq, until }: VersionRow): Promise<PastAnswer['in']> {
  if (until !== undefined) return 'past'
  return (await rows.get(currentTable.key(bucket, key)))?.seq === seq ? 'current' : 'live'
}

async function soughtNewest(rows: Rows, place: KeyPlace, at: Seq): Promise<VersionRow | undefined> {
  const added = await lastAdded(rows, place, at)
  if (added === undefined || added.existedAt(at)) return added
  return promotedAt(rows, place, { added: added.seq, at })
}

/**
 * The newest version after event `at`, if the version that was added last did not exist any more. If its removal made an
 * older version the newest, there is a row that names that one.
 */
export async function promotedAt(
  rows: Rows,
  place: KeyPlace,
  { added, at }: { readonly added: Seq; readonly at: Seq },
): Promise<VersionRow | undefined> {
  const change = await lastChange(rows, newestChangeTable, { ...place, at })
  return change !== undefined && change.by > added ? existing(rows, place, { version: change.version, at }) : undefined
}

/** The null version after event `at`. `bucket` is the row of the bucket after that event. */
export async function nullAt(
  rows: Rows,
  place: KeyPlace,
  { bucket, at }: { readonly bucket: BucketRow; readonly at: Seq },
): Promise<VersionRow | undefined> {
  const { versionedSince } = bucket
  if (versionedSince === undefined) return newestAt(rows, place, at)
  const changed = await changedNullAt(rows, place, { after: versionedSince, at })
  if (changed !== undefined) return changed.row
  // All versions from before versioning are null versions, and only the newest of them can be left.
  const last = await newestAt(rows, place, versionedSince)
  return last?.existedAt(at) === true ? last : undefined
}

/** The null version by the last event after `after` that changed which one it is. `undefined`: there was no such event. */
export async function changedNullAt(
  rows: Rows,
  place: KeyPlace,
  { after, at }: { readonly after: Seq; readonly at: Seq },
): Promise<{ readonly row: VersionRow | undefined } | undefined> {
  const change = await lastChange(rows, nullChangeTable, { ...place, at })
  if (change === undefined || change.by <= after) return undefined
  return { row: await existing(rows, place, { version: change.version, at }) }
}

/** A version by its position, if it existed after event `at`. */
export async function existing(
  rows: Rows,
  { bucket, key }: KeyPlace,
  { version, at }: { readonly version: Seq; readonly at: Seq },
): Promise<VersionRow | undefined> {
  const live = await rows.get(versionTable.key(bucket, key, version))
  const row = live ?? (await rows.get(pastVersionTable.key(bucket, key, version)))
  return row?.existedAt(at) === true ? row : undefined
}

/** The last version that was added by event `at` or before, whether it still existed then or not. */
async function lastAdded(rows: Rows, place: KeyPlace, at: Seq): Promise<VersionRow | undefined> {
  const { bucket, key } = place
  const current = await rows.get(currentTable.key(bucket, key))
  const shown = current !== undefined && current.seq <= at ? current : undefined
  const now = await bucketWithRows(rows, bucket)
  const hasVersions = now?.versioning !== undefined
  // Without versions, one that was added later would have replaced it, unless an older one came back.
  if (shown !== undefined && !hasVersions && now?.restored !== true) return shown
  // Seeks only if it must: rows that were deleted can make a seek slow.
  const [live, removed] = await Promise.all([
    shown === undefined && hasVersions ? lastIn(rows, versionTable, { ...place, at }) : shown,
    lastIn(rows, pastVersionTable, { ...place, at }),
  ])
  return newer(live, removed)
}

function newer(a: VersionRow | undefined, b: VersionRow | undefined): VersionRow | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return a.seq > b.seq ? a : b
}

const lastIn = async (
  rows: Rows,
  table: typeof versionTable,
  { bucket, key, at }: KeyPlace & { readonly at: Seq },
): Promise<VersionRow | undefined> =>
  (await rows.first<VersionRow>({ ...table.ofKey(bucket, key), gte: table.from(bucket, key, at) }))?.row

async function lastChange(
  rows: Rows,
  table: typeof newestChangeTable,
  { bucket, key, at }: KeyPlace & { readonly at: Seq },
): Promise<(ChangeRow & { readonly by: Seq }) | undefined> {
  const found = await rows.first<ChangeRow>({ ...table.ofKey(bucket, key), gte: table.from(bucket, key, at) })
  return found && { by: table.by(found.key), version: found.row.version }
}

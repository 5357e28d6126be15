/**
 * Gives a fork rows of its own for versions of its base, before an event of the fork changes them. The rows say that the
 * versions have existed since the fork was created, so they describe them for its whole life. They share the bytes.
 */
import type { RecordedEvent } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'
import { bucketRowAt } from './bucket-row-at.ts'
import { hasBytes, shareContent } from './contents.ts'
import { borrowedTable, ownKeyTable } from './fork-tables.ts'
import { annotationRowIn } from './annotation-rows.ts'
import type { RowTransaction } from './row-transaction.ts'
import type { BucketRow } from './rows.ts'
import {
  annotationTable,
  bucketTable,
  currentTable,
  newestChangeTable,
  pastVersionTable,
  versionTable,
} from './tables.ts'
import { inBase, isOwnVersion, type KeyThen, newestIn, type PlacedRow, versionIn } from './versions-in.ts'
import type { VersionRow } from './version-row.ts'

/** An event about a key. */
export interface KeyEvent extends Pick<RecordedEvent, 'seq'> {
  readonly data: { readonly bucket: string; readonly key: string }
}

type OwnPlace = KeyThen & { readonly row: BucketRow }

/** What an event does to a key. */
interface Effect {
  /** The versions that it ends, annotates or makes the newest. */
  readonly versions: readonly (Seq | undefined)[]
  /** It adds the newest version. @default false */
  readonly adds?: boolean
}

/** Returns a promise only if rows must be read first. */
export function takeOver(rows: RowTransaction, event: KeyEvent, effect: Effect): Promise<void> | undefined {
  const known = rows.known(bucketTable.key(event.data.bucket))
  return known !== undefined && known.row?.base === undefined ? undefined : takeOverInFork(rows, event, effect)
}

async function takeOverInFork(
  rows: RowTransaction,
  { seq, data: { bucket, key } }: KeyEvent,
  { versions, adds = false }: Effect,
): Promise<void> {
  const row = await rows.get(bucketTable.key(bucket))
  if (row?.base === undefined) return
  const place = { bucket, row, key }
  const own = ownKeyTable.key(row.incarnation, key)
  if ((await rows.get(own)) === undefined) {
    if (!adds) await borrowNewest(rows, place, seq)
    rows.put(own, { since: seq })
  }
  for (const version of versions) if (version !== undefined) await borrow(rows, place, version)
}

/** Before the first event of the key. */
async function borrowNewest(rows: RowTransaction, place: OwnPlace, seq: Seq): Promise<void> {
  const newest = await newestIn(rows, place)
  if (newest === undefined) return
  await borrow(rows, place, newest.seq)
  const { bucket, key } = place
  rows.put(newestChangeTable.key(bucket, key, seq), { version: newest.seq })
  const row = await rows.get(versionTable.key(bucket, key, newest.seq))
  if (row?.deleteMarker === false) rows.put(currentTable.key(bucket, key), row)
}

async function borrow(rows: RowTransaction, place: OwnPlace, version: Seq): Promise<void> {
  if (await isOwnVersion(rows, place, version)) return
  const base = await inBase(rows, place)
  const found = base && (await versionIn(rows, base, version))
  // A salvaged log may lack the version.
  if (found === undefined) return
  const { bucket, row, key } = place
  const { incarnation } = row
  await shareBytes(rows, found, incarnation)
  // An earlier fork of this name, or the base itself if it had this name, may have left a row.
  const past = pastVersionTable.key(bucket, key, version)
  const earlier = await rows.get(past)
  if (earlier !== undefined) rows.delete(past)
  const lives = earlier === undefined ? [] : earlier.lives
  rows.put(versionTable.key(bucket, key, version), found.row.withLives([...lives, { from: incarnation }]))
  rows.put(borrowedTable.key(incarnation, key, version), {})
  const annotation = await annotationRowIn(rows, found.place, version)
  if (annotation !== undefined) {
    rows.put(annotationTable.key(bucket, key, version), { ...annotation, since: incarnation })
  }
}

/** Bytes that were erased, or are being erased, are not shared: no later event of the fork can free them. */
async function shareBytes(rows: RowTransaction, { row, place }: PlacedRow, to: Seq): Promise<void> {
  const { bucket, key, at = 0 } = place
  if (row.deleteMarker || !(await hasBytes(rows, await asNow(rows, place, row)))) return
  const from = (await bucketRowAt(rows, bucket, at))?.incarnation ?? 0
  await shareContent(rows, row.facts.content, { source: { bucket, key, version: row.seq }, from, to })
}

/** The row of the version as it is now: the base may have removed it since. */
async function asNow(rows: RowTransaction, { bucket, key }: KeyThen, { seq }: VersionRow): Promise<VersionRow> {
  const live = await rows.get(versionTable.key(bucket, key, seq))
  return live ?? ((await rows.get(pastVersionTable.key(bucket, key, seq))) as VersionRow)
}

import { inTurn, type Soon, whenThere } from '../base/soon.ts'
import { StorageError } from '../base/errors.ts'
import { RecordReader } from '../codec/record-reader.ts'
import type { DecodedEvent } from '../events/event-codec.ts'
import type { ShownFacts } from '../events/content-forms.ts'
import type { Content, ObjectFacts, RecordedEvent } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'
import { takeOver } from './borrow.ts'
import { freeContent, isShared, nameBlob, shareContent, type VersionInKey } from './contents.ts'
import { endAnnotation } from './project-annotation.ts'
import { bucketAt, bucketWithRows, incarnationOf } from './incarnation.ts'
import { completeUpload } from './project-upload.ts'
import type { RowTransaction } from './row-transaction.ts'
import { countUsage, storedBytes } from './usage.ts'
import { DeleteMarkerRow, ObjectVersionRow, type VersionRow } from './version-row.ts'
import {
  bucketTable,
  currentTable,
  newestChangeTable,
  nullChangeTable,
  nullTable,
  pastVersionTable,
  versionTable,
} from './tables.ts'

type VersionEvent = RecordedEvent<'VersionAdded' | 'DeleteMarkerAdded' | 'UploadCompleted' | 'VersionRemoved'>
type AddingEvent = Exclude<VersionEvent, { type: 'VersionRemoved' }>

/** The facts of the object that the event adds, if it adds one. */
type Facts = DecodedEvent['facts']

export function projectVersion(rows: RowTransaction, event: VersionEvent, facts: Facts): Soon<void> {
  if (event.type === 'VersionRemoved') return removeVersion(rows, event)
  if (!standsAlone(rows, event)) return fitIn(rows, event, facts)
  return addVersion(rows, event, facts)
}

/** True if the new rows depend on no other rows, as far as this is known without reading rows. */
function standsAlone(rows: RowTransaction, event: AddingEvent): boolean {
  const { bucket, nullVersion, replaces } = event.data
  if (replaces !== undefined || isCopy(event) || event.type === 'UploadCompleted') return false
  const known = rows.known(bucketTable.key(bucket))
  if (known === undefined || known.row?.base !== undefined) return false
  if (!nullVersion) return true
  return known.row?.versioning === undefined
}

function fitIn(rows: RowTransaction, event: AddingEvent, facts: Facts): Soon<void> {
  const { bucket, key, replaces } = event.data
  return inTurn([
    () => takeOver(rows, event, { versions: [replaces], adds: true }),
    // Share before the replaced version ends: that version may be the source of the copy.
    () => (isCopy(event) ? shareCopied(rows, event) : undefined),
    () => (replaces === undefined ? undefined : endVersion(rows, { bucket, key, seq: replaces, by: event })),
    () => pointAtNull(rows, event),
    () => addVersion(rows, event, facts),
    () => (event.type === 'UploadCompleted' ? completeUpload(rows, event) : undefined),
  ])
}

async function shareCopied(rows: RowTransaction, { data }: CopyEvent): Promise<void> {
  const { bucket, content, copiedFrom: source } = data
  const { incarnation: from } = await bucketAt(rows, source.bucket, source.version)
  await shareContent(rows, content, { source, from, to: await incarnationOf(rows, bucket) })
}

function addVersion(rows: RowTransaction, event: AddingEvent, facts: Facts): Soon<void> {
  const { bucket, key } = event.data
  const place = versionTable.key(bucket, key, event.seq)
  const row = versionRow(event, facts, place.bytes)
  rows.put(place, row)
  if (row.deleteMarker) rows.delete(currentTable.key(bucket, key))
  else rows.put(currentTable.key(bucket, key), row)
  if (event.type === 'DeleteMarkerAdded') return undefined
  const live = nameNewBytes(rows, event)
  return whenThere(incarnationOf(rows, bucket), (home) => countUsage(rows, home, { live, versions: 1 }))
}

/** How many bytes come with the version. Those of a copy or of parts are there already. */
function nameNewBytes(rows: RowTransaction, event: Exclude<AddingEvent, { type: 'DeleteMarkerAdded' }>): number {
  if (event.type !== 'VersionAdded' || isCopy(event)) return 0
  const { content } = event.data
  nameBlob(rows, content, event.seq)
  return storedBytes(content)
}

type CopyEvent = RecordedEvent<'VersionAdded'> & { readonly data: { readonly copiedFrom: VersionInKey } }

const isCopy = (event: AddingEvent): event is CopyEvent =>
  event.type === 'VersionAdded' && event.data.copiedFrom !== undefined

function versionRow(event: AddingEvent, facts: Facts, key: Uint8Array): VersionRow {
  const { seq, epoch, at, by } = event
  const { nullVersion } = event.data
  const owner = event.type === 'DeleteMarkerAdded' ? by : (event.data.owner ?? by)
  const place = { seq, epoch, at, owner, nullVersion }
  if (event.type === 'DeleteMarkerAdded') return new DeleteMarkerRow(place)
  if (facts === undefined) throw new StorageError('InternalError', `Event ${seq} came without the facts of its object.`)
  return new ObjectVersionRow(place, new RecordReader(facts, 0), key, shownOf(event.data))
}

function shownOf({ size, etag, storageClass, checksum }: ObjectFacts): ShownFacts {
  const shown: { -readonly [K in keyof ShownFacts]: ShownFacts[K] } = { size, etag }
  if (storageClass !== undefined) shown.storageClass = storageClass
  if (checksum !== undefined) shown.checksum = { algorithm: checksum.algorithm, type: checksum.type }
  return shown
}

async function removeVersion(rows: RowTransaction, event: RecordedEvent<'VersionRemoved'>): Promise<void> {
  const { bucket, key, version, promotes } = event.data
  await takeOver(rows, event, { versions: [version, promotes] })
  const removed = await endVersion(rows, { bucket, key, seq: version, by: event })
  if (removed.nullVersion && !(await neverVersioned(rows, bucket))) rows.delete(nullTable.key(bucket, key))
  const current = await rows.get(currentTable.key(bucket, key))
  if (current?.seq === version) rows.delete(currentTable.key(bucket, key))
  if (promotes === undefined) return
  rows.put(newestChangeTable.key(bucket, key, event.seq), { version: promotes })
  const promoted = await existing(rows, bucket, key, promotes)
  if (!promoted.deleteMarker) rows.put(currentTable.key(bucket, key), promoted satisfies ObjectVersionRow)
}

/** A null version needs a pointer only if it is not the oldest version of its key: see `findNull`. */
function pointAtNull(rows: RowTransaction, event: AddingEvent): Soon<void> {
  const { bucket, nullVersion } = event.data
  if (!nullVersion) return undefined
  return whenThere(neverVersioned(rows, bucket), (never) => (never ? undefined : pointAt(rows, event)))
}

async function pointAt(rows: RowTransaction, event: AddingEvent): Promise<void> {
  const { bucket, key } = event.data
  rows.put(nullChangeTable.key(bucket, key, event.seq), { version: event.seq })
  const older = await rows.first<VersionRow>(versionTable.ofKey(bucket, key))
  if (older === undefined) rows.delete(nullTable.key(bucket, key))
  else rows.put(nullTable.key(bucket, key), { seq: event.seq })
}

/** If versioning was never set, a key has only its null version, and needs no pointer to it. */
const neverVersioned = (rows: RowTransaction, bucket: string): Soon<boolean> =>
  whenThere(bucketWithRows(rows, bucket), (row) => row?.versioning === undefined)

interface EndedVersion {
  readonly bucket: string
  readonly key: string
  readonly seq: Seq
  readonly by: VersionEvent
}

function endVersion(rows: RowTransaction, version: EndedVersion): Soon<VersionRow> {
  const { bucket, key, seq } = version
  return whenThere(knownCurrent(rows, version) ?? existing(rows, bucket, key, seq), (row) =>
    whenThere(endRow(rows, version, row), () => row),
  )
}

function endRow(rows: RowTransaction, version: EndedVersion, row: VersionRow): Soon<void> {
  const { bucket, key, seq, by } = version
  rows.delete(versionTable.key(bucket, key, seq))
  rows.put(pastVersionTable.key(bucket, key, seq), row.ended(by.seq))
  return whenThere(bucketWithRows(rows, bucket), (bucketRow) =>
    inTurn([
      () =>
        bucketRow?.annotated === undefined
          ? undefined
          : endAnnotation(rows, { bucket, key, version: seq, until: by.seq }),
      () => (row.deleteMarker ? undefined : endContent(rows, version, row.content, bucketRow?.incarnation ?? 0)),
    ]),
  )
}

/** `home`: the incarnation of the version's bucket. */
function endContent(
  rows: RowTransaction,
  { bucket, key, seq, by }: EndedVersion,
  content: Content,
  home: Seq,
): Soon<void> {
  const ended = { bucket, key, version: seq, home }
  return inTurn([
    () => (seq > home ? countUsage(rows, home, { versions: -1 }) : undefined),
    () =>
      whenThere(seq > home || isShared(rows, content), (isOwn) =>
        isOwn ? freeContent(rows, content, { event: by, index: 0, home, since: seq, ended }) : undefined,
      ),
  ])
}

/** The version, if it is the current object and the rule has read that: both rows are the same. */
function knownCurrent(
  rows: RowTransaction,
  { bucket, key, seq }: { readonly bucket: string; readonly key: string; readonly seq: Seq },
): VersionRow | undefined {
  const current = rows.known(currentTable.key(bucket, key))?.row
  return current?.seq === seq ? current : undefined
}

async function existing(rows: RowTransaction, bucket: string, key: string, seq: Seq): Promise<VersionRow> {
  const row = await rows.get(versionTable.key(bucket, key, seq))
  if (row === undefined)
    throw new StorageError('RowCorrupt', `The row of version ${seq} is missing.`, { details: { seq } })
  return row
}

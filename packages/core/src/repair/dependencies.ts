/** Finds what an event needs of earlier events. If such an event is lost, this event loses its meaning. */
import type { RecordedEvent } from '../events/index.ts'
import type { Content } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'
import { findVersionAt } from '../views/find-version.ts'
import { droppedTable } from '../views/fork-tables.ts'
import { incarnationAt } from '../views/incarnation.ts'
import { uploadRow } from '../views/project-upload.ts'
import type { RowTransaction } from '../views/row-transaction.ts'
import type { VersionInKey } from '../views/contents.ts'
import type { BucketRow, Past } from '../views/rows.ts'
import { bucketTable, partTable, pastVersionTable, snapshotTable, taskTable, versionTable } from '../views/tables.ts'

interface InKey {
  readonly bucket: string
  readonly key: string
}

/** A missing row, with the position of the event that made it, if that is known. */
export interface Missing {
  readonly madeBy?: Seq
}

/** `undefined` if everything that the event needs exists. */
export async function missingFor(rows: RowTransaction, event: RecordedEvent): Promise<Missing | undefined> {
  switch (event.type) {
    case 'BucketCreated':
    case 'ForkReleased':
    case 'ErasureStarted':
    case 'ContentsErased':
    case 'PinsSettled':
    case 'ErasureRequested':
    case 'TaskStarted':
    case 'IdentityCreated':
    case 'IdentityRemoved':
    case 'AccessKeyAdded':
    case 'AccessKeyRevoked':
    case 'IdentityPolicySet':
    case 'IdentityQuotaSet':
    case 'KeyGenerationAdded':
    case 'KeyGenerationRewrapped':
    case 'EpochBegun':
    case 'BytesHealed':
    case 'EventLost':
      return undefined
    case 'SnapshotCreated':
      return missingPastBucket(rows, event.data.bucket, event.data.position ?? event.seq)
    case 'BucketForked':
      return missingPastBucket(rows, event.data.from, event.data.position ?? event.seq)
    case 'ForkCleared':
      return (await rows.get(droppedTable.key(event.data.bucket))) === undefined
        ? { madeBy: event.data.dropped }
        : undefined
    case 'TaskContinued':
    case 'TaskEnded':
      return (await rows.get(taskTable.key(event.data.id))) === undefined ? {} : undefined
    case 'SnapshotDeleted':
      return (await rows.get(snapshotTable.key(event.data.name))) === undefined ? {} : undefined
    case 'RetentionSet':
      return missingBucket(rows, event.data.bucket)
    case 'BucketRestored':
      return missingDeletion(rows, event.data)
    case 'VersionRestored':
      return missingRemoval(rows, event.data)
    case 'PartAdded':
    case 'UploadAborted':
      return missingUpload(rows, event.data)
    case 'UploadCompleted':
      return (await missingUpload(rows, event.data)) ?? missingParts(rows, event)
    case 'VersionRemoved':
    case 'ObjectTagsSet':
    case 'ObjectAclSet':
    case 'ObjectRetentionSet':
    case 'ObjectLegalHoldSet':
      return missingVersion(rows, event.data, event.data.version)
    default:
      return missingBucket(rows, event.data.bucket)
  }
}

async function missingBucket(rows: RowTransaction, bucket: string | undefined): Promise<Missing | undefined> {
  if (bucket === undefined) return undefined
  return (await rows.get(bucketTable.key(bucket))) === undefined ? {} : undefined
}

async function missingPastBucket(
  rows: RowTransaction,
  bucket: string | undefined,
  position: Seq,
): Promise<Missing | undefined> {
  if (bucket === undefined) return undefined
  return (await incarnationAt(rows, bucket, position)) === undefined ? {} : undefined
}

async function missingVersion(rows: RowTransaction, { bucket, key }: InKey, madeBy: Seq): Promise<Missing | undefined> {
  return (await findVersionAt(rows, bucket, key, madeBy)) === undefined ? { madeBy } : undefined
}

/** A version can only come back where it is gone, in a bucket that is there. */
async function missingRemoval(
  rows: RowTransaction,
  { bucket, key, version, removed }: VersionInKey & { readonly removed: Seq },
): Promise<Missing | undefined> {
  const past = await rows.get(pastVersionTable.key(bucket, key, version))
  if (past === undefined) return { madeBy: version }
  return past.until === removed ? missingBucket(rows, bucket) : { madeBy: removed }
}

async function missingDeletion(
  rows: RowTransaction,
  { bucket, deleted }: { readonly bucket: string; readonly deleted: Seq },
): Promise<Missing | undefined> {
  const past = await rows.first<Past<BucketRow>>(bucketTable.pastFrom(bucket, deleted))
  const isGone = (await rows.get(bucketTable.key(bucket))) === undefined
  return isGone && past?.row.until === deleted ? undefined : { madeBy: deleted }
}

async function missingUpload(
  rows: RowTransaction,
  { bucket, key, upload }: InKey & { readonly upload: Seq },
): Promise<Missing | undefined> {
  return (await uploadRow(rows, { bucket, key, upload })) === undefined ? { madeBy: upload } : undefined
}

async function missingParts(
  rows: RowTransaction,
  event: RecordedEvent<'UploadCompleted'>,
): Promise<Missing | undefined> {
  const { upload, parts } = event.data
  for (const [first, last] of parts) {
    for (let number = first; number <= last; number++) {
      if ((await rows.get(partTable.key(upload, number))) === undefined) return {}
    }
  }
  return undefined
}

/** The event without references to versions that are lost: they need not be replaced or promoted. */
export async function withoutMissing(
  rows: RowTransaction,
  event: RecordedEvent,
  adopted: Adopted,
): Promise<RecordedEvent> {
  if ('replaces' in event.data && event.type !== 'PartAdded') {
    const { replaces, ...data } = event.data
    const isThere = replaces !== undefined && !(await missingVersion(rows, data, replaces))
    if (!isThere) return withoutMissing(rows, { ...event, data } as RecordedEvent, adopted)
  }
  if (event.type === 'VersionRemoved' && event.data.promotes !== undefined) {
    const { promotes, ...data } = event.data
    return (await missingVersion(rows, data, promotes)) ? { ...event, data } : event
  }
  return event.type === 'VersionAdded' ? copiedFromWhatIsThere(rows, event, adopted) : event
}

/** Contents whose first version is lost, and the copy that now counts as their first version. */
export type Adopted = Map<string, InKey & { readonly version: Seq }>

async function copiedFromWhatIsThere(
  rows: RowTransaction,
  event: RecordedEvent<'VersionAdded'>,
  adopted: Adopted,
): Promise<RecordedEvent> {
  const { copiedFrom, ...data } = event.data
  if (copiedFrom === undefined || !(await isSourceMissing(rows, copiedFrom))) return event
  const id = contentName(data.content)
  if (id === undefined) return { ...event, data }
  const first = adopted.get(id)
  if (first !== undefined && !(await isSourceMissing(rows, first))) {
    return { ...event, data: { ...data, copiedFrom: first } }
  }
  adopted.set(id, { bucket: data.bucket, key: data.key, version: event.seq })
  return { ...event, data }
}

/** The source of a copy may have been removed before. */
async function isSourceMissing(rows: RowTransaction, { bucket, key, version }: VersionInKey): Promise<boolean> {
  if ((await rows.get(versionTable.key(bucket, key, version))) !== undefined) return false
  return (await rows.get(pastVersionTable.key(bucket, key, version))) === undefined
}

const contentName = (content: Content): string | undefined =>
  content.kind === 'blob' ? content.blob.id : content.kind === 'parts' ? `upload-${content.upload}` : undefined

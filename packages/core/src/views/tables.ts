/** The tables. Each has its first byte, its key layout and its row type. Listings rely on the order within a table. */
import type { BlobId, RowRange, Seq } from '../ports/index.ts'
import { later, upperBound } from '../bytes/bytes.ts'
import { KeyReader, KeyWriter } from '../bytes/key-codec.ts'
import type {
  AnnotationRow,
  BucketRow,
  ChangeRow,
  CompletionRow,
  DeletedBucketRow,
  EpochsRow,
  HeadRow,
  KeysRow,
  NullRow,
  PartRow,
  Past,
  PastPartRow,
  PinsRow,
  RetentionRow,
  SettingRow,
  SnapshotRow,
  TaskRow,
  UploadRow,
} from './rows.ts'
import { lastKept, lastKeptOfTwo, type RowKey, rowKey } from './row-key.ts'
import { byte } from './table-bytes.ts'
import type { ObjectVersionRow, VersionRow } from './version-row.ts'

/** Raise it whenever the shape or the key of a row changes: stores then rebuild their views when they are opened. */
export const viewsVersion = 16

/** The range of all keys that start with the writer's bytes. */
export function rangeOf(writer: KeyWriter, reverse = false): RowRange {
  const prefix = writer.finish()
  return { gte: prefix, lt: upperBound(prefix), reverse }
}

const ofBuckets: ReadonlySet<number> = new Set([
  byte.bucket,
  byte.setting,
  byte.usage,
  byte.identityQuota,
  byte.ownerUsage,
])
const mostlyAbsent: ReadonlySet<number> = new Set([byte.ownKey, byte.borrowed, byte.annotation, byte.identityQuota])

/** Whether the row is about a bucket as a whole, or about all buckets of an owner. */
export const isOfBucket = ([table = 0]: Uint8Array): boolean => ofBuckets.has(table)

/**
 * Whether most reads of the row find none: a fork has changed few keys and versions, few versions were annotated, and few
 * owners have a quota.
 */
export const isMostlyAbsent = ([table = 0]: Uint8Array): boolean => mostlyAbsent.has(table)

/** The range of all views. Inline bytes and data keys are outside, because no event can restore them. */
export const viewRange: RowRange = { gte: Uint8Array.of(0x01), lt: Uint8Array.of(0x80) }

export const headKey: RowKey<HeadRow> = rowKey(new KeyWriter(byte.head))

const afterName = (table: number, name: string) => upperBound(new KeyWriter(table).text(name).finish())

function namesAfter(table: number, prefix: string, after: string): RowRange {
  const all = rangeOf(new KeyWriter(table).openText(prefix))
  return { ...all, gte: after === '' ? all.gte : later(afterName(table, after), all.gte) }
}

export const bucketTable = {
  key: lastKept((bucket: string) => rowKey<BucketRow>(new KeyWriter(byte.bucket).text(bucket))),
  past: (bucket: string, since: Seq) =>
    rowKey<Past<BucketRow>>(new KeyWriter(byte.pastBucket).text(bucket).seqDescending(since)),
  range: (prefix = '') => rangeOf(new KeyWriter(byte.bucket).openText(prefix)),
  /** As `range`, but only names after `after`; `''` for all. */
  rangeAfter: (prefix: string, after: string) => namesAfter(byte.bucket, prefix, after),
  pastRangeAfter: (prefix: string, after: string) => namesAfter(byte.pastBucket, prefix, after),
  /** The smallest keys after all rows of a bucket, present and past. */
  after: (bucket: string) => [afterName(byte.bucket, bucket), afterName(byte.pastBucket, bucket)] as const,
  /** The rows of a past bucket from a position or before, the newest first. */
  pastFrom: (bucket: string, at: Seq): RowRange => ({
    gte: bucketTable.past(bucket, at).bytes,
    lt: afterName(byte.pastBucket, bucket),
  }),
  name: (bytes: Uint8Array) => new KeyReader(bytes).text(),
} as const

/** Deleted buckets whose uploads are still to be aborted, by the position of their deletion. */
export const deletedBucketTable = {
  key: (deleted: Seq) => rowKey<DeletedBucketRow>(new KeyWriter(byte.deletedBucket).seq(deleted)),
  range: rangeOf(new KeyWriter(byte.deletedBucket)),
  deleted: (bytes: Uint8Array): Seq => new KeyReader(bytes).seq(),
} as const

/** Every value that a setting ever had. */
export const settingTable = {
  key: (bucket: string, setBy: Seq) => rowKey<SettingRow>(new KeyWriter(byte.setting).text(bucket).seq(setBy)),
} as const

/** By the incarnation of the bucket; 0 for the whole store. */
export const retentionTable = {
  key: (of: Seq) => rowKey<RetentionRow>(new KeyWriter(byte.retention).seq(of)),
  range: rangeOf(new KeyWriter(byte.retention)),
  of: (bytes: Uint8Array): Seq => new KeyReader(bytes).seq(),
} as const

/** Snapshots, by name. */
export const snapshotTable = {
  key: (name: string) => rowKey<SnapshotRow>(new KeyWriter(byte.snapshot).text(name)),
  range: rangeOf(new KeyWriter(byte.snapshot)),
  name: (bytes: Uint8Array) => new KeyReader(bytes).text(),
} as const

/** Restores, undos and merges that go on, by their id. */
export const taskTable = {
  key: (id: string) => rowKey<TaskRow>(new KeyWriter(byte.task).text(id)),
  range: rangeOf(new KeyWriter(byte.task)),
} as const

/** All epochs, in one row. */
export const epochsKey: RowKey<EpochsRow> = rowKey(new KeyWriter(byte.epochs))

/** The positions of all snapshots, in one row. */
export const pinsKey: RowKey<PinsRow> = rowKey(new KeyWriter(byte.pins))

/** The ranges of every table whose keys begin with bucket and object key. */
function keyRanges(table: number) {
  const inBucket = (bucket: string) => new KeyWriter(table).text(bucket)
  return {
    everything: rangeOf(new KeyWriter(table)),
    range: (bucket: string, prefix: string) => rangeOf(inBucket(bucket).openText(prefix)),
    ofKey: (bucket: string, objectKey: string, reverse = false) => rangeOf(inBucket(bucket).text(objectKey), reverse),
    /** The smallest key of a row of this object key. */
    at: (bucket: string, objectKey: string) => inBucket(bucket).text(objectKey).finish(),
    /** The smallest key after all rows of this object key. */
    after: (bucket: string, objectKey: string) => upperBound(inBucket(bucket).text(objectKey).finish()),
    /** The smallest key after all object keys that start with `prefix`. */
    afterPrefix: (bucket: string, prefix: string) => upperBound(inBucket(bucket).openText(prefix).finish()),
    objectKey: (bytes: Uint8Array) => new KeyReader(bytes).skipText().text(),
  } as const
}

/** The tables whose keys end in a position. */
function bySeq<R>(table: number) {
  const place = (bucket: string, objectKey: string, seq: Seq) =>
    new KeyWriter(table).text(bucket).text(objectKey).seqDescending(seq)
  return {
    ...keyRanges(table),
    key: (bucket: string, objectKey: string, seq: Seq) => rowKey<R>(place(bucket, objectKey, seq)),
    /** The smallest key of the rows by event `seq` or before. */
    from: (bucket: string, objectKey: string, seq: Seq) => place(bucket, objectKey, seq).finish(),
  } as const
}

/** The current object of a key: a copy of its newest version. Absent if that is a delete marker. */
export const currentTable = {
  ...keyRanges(byte.current),
  range: (bucket: string, prefix: string): RowRange => ({
    keysAreText: true,
    ...rangeOf(new KeyWriter(byte.current).text(bucket).openText(prefix)),
  }),
  key: lastKeptOfTwo((bucket: string, objectKey: string) =>
    rowKey<ObjectVersionRow>(new KeyWriter(byte.current).text(bucket).text(objectKey)),
  ),
} as const

/** All existing versions and delete markers, newest first within a key. */
export const versionTable = bySeq<VersionRow>(byte.version)

/** All removed versions and delete markers. */
export const pastVersionTable = bySeq<VersionRow>(byte.pastVersion)

export const nullTable = {
  key: (bucket: string, objectKey: string) =>
    rowKey<NullRow>(new KeyWriter(byte.nullVersion).text(bucket).text(objectKey)),
} as const

const changesAt = (table: number) => ({
  ...bySeq<ChangeRow>(table),
  by: (bytes: Uint8Array): Seq => new KeyReader(bytes).skipText().skipText().seqDescending(),
})

/** The events that made an older version the newest of its key. A version that is added is the newest, without a row. */
export const newestChangeTable = changesAt(byte.newestChange)

/** The events that made a version the null version of its key after versioning was set. */
export const nullChangeTable = changesAt(byte.nullChange)

/** Annotations of versions. */
export const annotationTable = {
  ofKey: (bucket: string, objectKey: string) => rangeOf(new KeyWriter(byte.annotation).text(bucket).text(objectKey)),
  key: (bucket: string, objectKey: string, version: Seq) =>
    rowKey<AnnotationRow>(new KeyWriter(byte.annotation).text(bucket).text(objectKey).seqDescending(version)),
} as const

/** Annotations of the past, which were changed later or whose version was removed. */
export const pastAnnotationTable = {
  ofKey: (bucket: string, objectKey: string) =>
    rangeOf(new KeyWriter(byte.pastAnnotation).text(bucket).text(objectKey)),
  /** The annotations of a version since event `at` or before, the newest first. */
  from: (bucket: string, objectKey: string, { version, at }: Readonly<Record<'version' | 'at', Seq>>): RowRange => ({
    ...rangeOf(new KeyWriter(byte.pastAnnotation).text(bucket).text(objectKey).seqDescending(version)),
    gte: pastAnnotationTable.key(bucket, objectKey, version, at).bytes,
  }),
  key: (bucket: string, objectKey: string, version: Seq, since: Seq) =>
    rowKey<Past<AnnotationRow>>(
      new KeyWriter(byte.pastAnnotation).text(bucket).text(objectKey).seqDescending(version).seqDescending(since),
    ),
} as const

/** A bucket, distinguished from others of the same name. */
export interface BucketPlace {
  readonly bucket: string
  readonly incarnation: Seq
}

const uploadsIn = ({ bucket, incarnation }: BucketPlace) => new KeyWriter(byte.upload).text(bucket).seq(incarnation)

/**
 * Uploads in progress, by key and then by start. The uploads of a deleted bucket are separate from those of the next
 * bucket of its name, so no read of one finds uploads of the other.
 */
export const uploadTable = {
  key: (place: BucketPlace, objectKey: string, seq: Seq) =>
    rowKey<UploadRow>(uploadsIn(place).text(objectKey).seq(seq)),
  range: (place: BucketPlace, prefix = '') => rangeOf(uploadsIn(place).openText(prefix)),
  ofKey: (place: BucketPlace, objectKey: string) => rangeOf(uploadsIn(place).text(objectKey)),
  /** The smallest key of the uploads of this object key that were started at or after `seq`. */
  from: (place: BucketPlace, objectKey: string, seq: Seq) => uploadsIn(place).text(objectKey).seq(seq).finish(),
  /** The smallest key after all uploads of this object key. */
  after: (place: BucketPlace, objectKey: string) => upperBound(uploadsIn(place).text(objectKey).finish()),
  /** The smallest key after all object keys that start with `prefix`. */
  afterPrefix: (place: BucketPlace, prefix: string) => upperBound(uploadsIn(place).openText(prefix).finish()),
  objectKey: (bytes: Uint8Array) => {
    const reader = new KeyReader(bytes)
    reader.text()
    reader.seq()
    return reader.text()
  },
} as const

/** Uploads that were completed or aborted, in all buckets of that name. */
export const pastUploadTable = {
  ...keyRanges(byte.pastUpload),
  key: (bucket: string, objectKey: string, seq: Seq) =>
    rowKey<Past<UploadRow>>(new KeyWriter(byte.pastUpload).text(bucket).text(objectKey).seq(seq)),
} as const

export const partTable = {
  key: (upload: Seq, partNumber: number) => rowKey<PartRow>(new KeyWriter(byte.part).seq(upload).number16(partNumber)),
  everything: rangeOf(new KeyWriter(byte.part)),
  ofUpload: (upload: Seq) => rangeOf(new KeyWriter(byte.part).seq(upload)),
  number: (bytes: Uint8Array) => {
    const reader = new KeyReader(bytes)
    reader.seq()
    return reader.number16()
  },
} as const

/** Past parts, by the position of the event that added them. */
export const pastPartTable = {
  key: (upload: Seq, added: Seq) => rowKey<PastPartRow>(new KeyWriter(byte.pastPart).seq(upload).seq(added)),
  ofUpload: (upload: Seq) => rangeOf(new KeyWriter(byte.pastPart).seq(upload)),
  added: (bytes: Uint8Array): Seq => {
    const reader = new KeyReader(bytes)
    reader.seq()
    return reader.seq()
  },
} as const

export const completionTable = {
  key: (upload: Seq) => rowKey<CompletionRow>(new KeyWriter(byte.completion).seq(upload)),
} as const

/** All key generations, in one row. */
export const keysKey: RowKey<KeysRow> = rowKey(new KeyWriter(byte.keys))

/** Rows by blob id whose payloads are raw bytes, not JSON. */
function sideTable(table: number) {
  return {
    range: rangeOf(new KeyWriter(table)),
    key: (id: BlobId) => new KeyWriter(table).text(id).finish(),
    /** `undefined` for a key that contains no blob id. */
    id: (bytes: Uint8Array): BlobId | undefined => {
      try {
        return new KeyReader(bytes).text()
      } catch {
        return undefined
      }
    },
  } as const
}

/** The bytes of inline blobs. */
export const inlineTable = sideTable(0x80)

/** The wrapped data keys of sealed blobs. */
export const dataKeyTable = sideTable(0x81)

/** Blobs that were erased in the replica from which the store was restored, though a version that exists has them. */
export const unrestoredTable = sideTable(0x82)

/** The members of JSON in an archive of a bucket: docs/archives.md has the format. */
import {
  type BucketInfo,
  callArguments,
  type Checksum,
  type ContentHeaders,
  contentHeaderFields,
  type CreationFacts,
  type EncryptionMode,
  schema,
  type SettingValues,
  StorageError,
} from '@varve/core'
import { archiveCorrupt, asCorrupt } from './archive-error.ts'

const { boolean, checked, integer, literal, object, optional, record, text } = schema

export const archiveFormat = 1
export const manifestPath = 'varve-archive.json'
export const bucketPath = 'bucket.json'
export const endPath = 'end.json'
/** The largest member of JSON. A policy has at most 1 MiB. */
export const documentMax = 8 * 1024 * 1024

/** The first member of an archive of a bucket: what the archive is. */
export interface ArchiveManifest {
  readonly format: 'varve-archive'
  readonly version: typeof archiveFormat
  /** A bucket, as of a position. */
  readonly contents: 'bucket'
  /** True if every version and delete marker is there, and not the newest objects alone. */
  readonly history: boolean
  /** The position of the log that the archive shows. */
  readonly seq: number
}

/** The first member of an archive of a store. */
export interface StoreManifest {
  readonly format: 'varve-archive'
  readonly version: typeof archiveFormat
  /** A store: its whole log, up to a position. */
  readonly contents: 'store'
  /** The position of the last event. */
  readonly seq: number
}

export interface ArchivedActor {
  readonly id: string
  readonly name: string
}

/** The second member of an archive of a bucket. */
export interface ArchivedBucket {
  readonly name: string
  readonly owner: ArchivedActor
  readonly region: string
  readonly createdAt: string
  readonly versioning?: NonNullable<BucketInfo['versioning']>
  readonly settings: Readonly<Partial<SettingValues>>
}

/** Why a version has no content in an archive. */
export type ContentAbsence =
  /** The bytes were erased before the archive was made. */
  | 'erased'
  /** The bytes are encrypted with a key that only a client has. */
  | 'customer-key'

interface ArchivedPlace {
  readonly versionId: string
  /** The position of the event that added the version. */
  readonly seq: number
  /** The time of that event. */
  readonly lastModified: string
}

/** The metadata of a version or a delete marker. */
export interface ArchivedVersion extends ArchivedPlace, ContentHeaders, Omit<CreationFacts, 'encryption'> {
  readonly kind: 'object' | 'marker'
  readonly key: string
  readonly owner: ArchivedActor
  /** The version that came after it, in an archive with history. */
  readonly superseded?: ArchivedPlace
  /** The path of the content, which is the next member. Not for delete markers and absent contents. */
  readonly path?: string
  readonly absent?: ContentAbsence
  readonly size?: number
  readonly etag?: string
  /** Of the content, hex. */
  readonly sha256?: string
  readonly metadata?: Readonly<Record<string, string>>
  readonly checksum?: Checksum
  readonly encryption?: { readonly mode: EncryptionMode; readonly keyName?: string; readonly bucketKey?: boolean }
  readonly partsCount?: number
}

/** Numbers of an archive of a bucket. */
export interface ArchiveCounts {
  readonly objects: number
  readonly markers: number
  /** Versions without content: see `ContentAbsence`. */
  readonly absent: number
  /** Bytes of contents. */
  readonly bytes: number
  /** Events of the log. */
  readonly events: number
}

/** The last member. */
export interface ArchiveEnd extends ArchiveCounts {
  /** Members before this one. */
  readonly members: number
  /** SHA-256 of all bytes of the archive before the header of this member, hex. */
  readonly sha256: string
}

const total = integer({ min: 0 })
const position = integer({ min: 0 })
const hash: schema.Schema<string> = matching('64 hexadecimal digits', /^[0-9a-f]{64}$/)
const time: schema.Schema<string> = matching('a time', /^\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const actor = object<ArchivedActor>({ id: text(), name: text() })

/** Texts of one form. */
function matching(expected: string, form: RegExp): schema.Schema<string> {
  const any = text()
  return {
    read(value) {
      const found = any.read(value)
      if (form.test(found)) return found
      throw schema.Mismatch.wrongType(expected, value)
    },
    accepts: (value) => any.accepts(value),
  }
}

const manifest = object<ArchiveManifest>({
  format: literal('varve-archive'),
  version: { read: () => archiveFormat, accepts: () => true },
  contents: literal('bucket'),
  history: boolean,
  seq: position,
})

const storeManifest = object<StoreManifest>({
  format: literal('varve-archive'),
  version: { read: () => archiveFormat, accepts: () => true },
  contents: literal('store'),
  seq: integer({ min: 1 }),
})

const bucket = object<ArchivedBucket>({
  name: text({ min: 1, max: 255 }),
  owner: actor,
  region: text(),
  createdAt: time,
  versioning: optional(callArguments.versioningStatus),
  settings: callArguments.bucketSettings,
})

const placeFields: schema.FieldsOf<ArchivedPlace> = { versionId: text({ min: 1 }), seq: position, lastModified: time }
const { encryption: _encryption, ...creation } = callArguments.creationFields

const version = object<ArchivedVersion>({
  ...placeFields,
  ...contentHeaderFields,
  ...creation,
  kind: literal('object', 'marker'),
  key: text({ min: 1 }),
  owner: actor,
  superseded: optional(object<ArchivedPlace>(placeFields)),
  path: optional(text({ min: 1 })),
  absent: optional(literal('erased', 'customer-key')),
  size: optional(total),
  etag: optional(text()),
  sha256: optional(hash),
  metadata: optional(record(text())),
  checksum: optional(
    object<Checksum>({
      algorithm: callArguments.checksumAlgorithm,
      type: literal('COMPOSITE', 'FULL_OBJECT'),
      value: text(),
    }),
  ),
  encryption: optional(
    object<NonNullable<ArchivedVersion['encryption']>>({
      mode: literal('AES256', 'aws:kms', 'aws:kms:dsse', 'SSE-C'),
      keyName: optional(text()),
      bucketKey: optional(boolean),
    }),
  ),
  partsCount: optional(total),
})

const countFields: schema.FieldsOf<ArchiveCounts> = {
  objects: total,
  markers: total,
  absent: total,
  bytes: total,
  events: total,
}

const end = object<ArchiveEnd>({ ...countFields, members: total, sha256: hash })

/** Two spaces, so that people can read it. */
export const documentBytes = (document: object): Uint8Array =>
  new TextEncoder().encode(`${JSON.stringify(document, undefined, 2)}\n`)

/** @throws StorageError `ArchiveCorrupt`; `UnsupportedFormat` for an archive of a newer release */
export function readManifest(bytes: Uint8Array): ArchiveManifest | StoreManifest {
  const given = parsed(bytes, manifestPath)
  const { version: found } = (given ?? {}) as { readonly version?: unknown }
  if (typeof found === 'number' && Number.isSafeInteger(found) && found > archiveFormat) {
    throw new StorageError(
      'UnsupportedFormat',
      `The archive has the format ${found}, which a newer release wrote: import it with that release.`,
    )
  }
  if (found !== archiveFormat) throw archiveCorrupt('document', 'it has no version of the format', manifestPath)
  const isOfStore = (given as { readonly contents?: unknown }).contents === 'store'
  return isOfStore ? valid(storeManifest, given, manifestPath) : valid(manifest, given, manifestPath)
}

export const readBucket = (bytes: Uint8Array): ArchivedBucket => valid(bucket, parsed(bytes, bucketPath), bucketPath)

export const readVersion = (bytes: Uint8Array, member: string): ArchivedVersion =>
  valid(version, parsed(bytes, member), member)

export const readEnd = (bytes: Uint8Array): ArchiveEnd => valid(end, parsed(bytes, endPath), endPath)

export function parsed(bytes: Uint8Array, member: string): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (cause) {
    throw archiveCorrupt('document', 'it is no JSON', member, cause)
  }
}

export function valid<T>(form: schema.Schema<T>, value: unknown, member: string): T {
  try {
    return checked('document', form, value)
  } catch (error) {
    throw asCorrupt(error, member)
  }
}

/** The path of the metadata of the n-th version of an archive, counted from 1. */
export function metadataPath(n: number): string {
  const digits = String(n).padStart(12, '0')
  return `metadata/${digits.slice(0, 6)}/${digits.slice(6, 9)}/${digits.slice(9)}.json`
}

/** The path of the n-th part of the events, counted from 1. */
export const eventsPath = (n: number): string => `events/${String(n).padStart(9, '0')}.jsonl`

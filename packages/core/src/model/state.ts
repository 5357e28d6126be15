/**
 * The state of a store, in maps and arrays. States are values: a command returns a new one and does not change the old
 * one, so every state of a run can be kept and compared.
 */
import { encodeUtf8 } from '../bytes/utf8.ts'
import { type ErrorCode, StorageError } from '../base/errors.ts'
import type { VersioningStatus } from '../settings/versioning.ts'
import type { ModelResult, ModelVersionRef } from './command.ts'

/** The whole state of the reference model, a plain value. */
export interface ModelState {
  /** Counts the changes, which gives them an order. */
  readonly time: number
  readonly buckets: ReadonlyMap<string, ModelBucket>
  /** The states that snapshots name. */
  readonly snapshots: ReadonlyMap<string, ModelState>
  /** The ETags in the answers of commands, by the name of the command. */
  readonly etags: ReadonlyMap<string, string>
}

/** A bucket of the reference model. */
export interface ModelBucket {
  /** Absent until it is set; it cannot become absent again. */
  readonly versioning?: VersioningStatus
  /** The versions and delete markers of each key, newest first. Keys without versions are absent. */
  readonly keys: ReadonlyMap<string, readonly ModelVersion[]>
  /** Uploads in progress, by name. */
  readonly uploads: ReadonlyMap<string, ModelUpload>
  /** Completed uploads, by name. */
  readonly completions: ReadonlyMap<string, ModelCompletion>
  /** Present in a fork. */
  readonly base?: ModelBase
}

/** The bucket that a fork began as. */
export interface ModelBase {
  /** The state that it was in. */
  readonly state: ModelState
  /** The bucket then. */
  readonly bucket: ModelBucket
}

/** A version of a key: an object or a delete marker. */
export interface ModelVersion {
  readonly name: string
  readonly time: number
  /** True if it was added while versioning was not enabled: clients call it `null`, and a key has at most one. */
  readonly nullVersion: boolean
  /** Absent for a delete marker. */
  readonly object?: ModelObject
}

/** A version that is an object. */
export interface ModelObject {
  readonly body: string
  /** Equal if S3's ETags are equal: JSON of the body, or of the bodies of its parts. */
  readonly etag: string
  /** The name of the command that wrote the bytes, which copies share; `''` for no bytes. */
  readonly bytes: string
  /** Set later, or copied with the object. Absent without a tag. */
  readonly tag?: string
}

/** A multipart upload of the reference model. */
export interface ModelUpload {
  readonly name: string
  readonly key: string
  readonly time: number
  /** The newest version of the key when the upload began. */
  readonly newestThen: ModelVersion | undefined
  /** The bodies of the parts, by part number. */
  readonly parts: ReadonlyMap<number, string>
}

export interface ModelCompletion {
  readonly key: string
  readonly version: ModelVersion
  /** The listed parts of the completion: numbers and ETags. */
  readonly listed: string
}

/** The effect of a command that was not refused. */
export interface Change {
  readonly state: ModelState
  readonly result: ModelResult
}

/** The state before the first command. */
export const emptyState: ModelState = { time: 0, buckets: new Map(), snapshots: new Map(), etags: new Map() }
export const emptyBucket: ModelBucket = { keys: new Map(), uploads: new Map(), completions: new Map() }

/** The ETag of a whole object and of an object made of parts. The two are never equal. */
export const wholeEtag = (body: string): string => JSON.stringify(body)
export const assembledEtag = (bodies: readonly string[]): string => JSON.stringify(bodies)

/** The length of a body in bytes. */
export const sizeOf = (body: string): number => encodeUtf8(body).length

export const refusal = (code: ErrorCode): StorageError => new StorageError(code, `The model refuses: ${code}.`)

/** @throws StorageError `NoSuchBucket`. */
export function bucketNamed(state: ModelState, name: string): ModelBucket {
  const bucket = state.buckets.get(name)
  if (bucket === undefined) throw refusal('NoSuchBucket')
  return bucket
}

/** @throws StorageError `NoSuchBucket`, `NoSuchUpload` if it has ended or belongs to another key. */
export function uploadNamed(
  state: ModelState,
  { bucket, key, upload: name }: { readonly bucket: string; readonly key: string; readonly upload: string },
): ModelUpload {
  const upload = bucketNamed(state, bucket).uploads.get(name)
  if (upload?.key !== key) throw refusal('NoSuchUpload')
  return upload
}

/** The versions and delete markers of a key, newest first. */
export const versionsOf = (bucket: ModelBucket, key: string): readonly ModelVersion[] => bucket.keys.get(key) ?? []

/** The name of a version that clients see. */
export const refOf = ({ name, nullVersion }: ModelVersion): ModelVersionRef => (nullVersion ? 'null' : name)

/** The state after one change of one bucket; `undefined` removes the bucket. */
export function withBucket(state: ModelState, name: string, bucket: ModelBucket | undefined): ModelState {
  return { ...state, time: state.time + 1, buckets: withEntry(state.buckets, name, bucket) }
}

/** The bucket, with other versions of one key. */
export function withVersions(bucket: ModelBucket, key: string, versions: readonly ModelVersion[]): ModelBucket {
  return { ...bucket, keys: withEntry(bucket.keys, key, versions.length === 0 ? undefined : versions) }
}

/** A copy of the map with one entry set or removed. */
export function withEntry<K, V>(map: ReadonlyMap<K, V>, key: K, value: V | undefined): ReadonlyMap<K, V> {
  const copy = new Map(map)
  if (value === undefined) copy.delete(key)
  else copy.set(key, value)
  return copy
}

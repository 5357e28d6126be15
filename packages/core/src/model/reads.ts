/** Reads of a state. Reads and listings throw the errors of a store; `answering` converts them into answers. */
import { compareBytes } from '../bytes/bytes.ts'
import { encodeUtf8 } from '../bytes/utf8.ts'
import { isStorageError } from '../base/errors.ts'
import type { ModelAnswer, ModelVersionRef } from './command.ts'
import {
  bucketNamed,
  type ModelObject,
  type ModelState,
  type ModelUpload,
  type ModelVersion,
  refOf,
  refusal,
  uploadNamed,
  versionsOf,
} from './state.ts'

/** A version that is an object, not a delete marker. */
export type ModelObjectVersion = ModelVersion & { readonly object: ModelObject }

/** Selects the keys of a listing of the model. */
export interface ModelListOptions {
  readonly prefix?: string
  /** Keys with the same text between the prefix and the delimiter become one entry. */
  readonly delimiter?: string
  /** The listing starts after this key, and after the common prefix that contains it. */
  readonly after?: string
}

type Listed<T> = (T & { readonly key: string }) | { readonly prefix: string }

/** Runs a read of the model and returns the code of a refusal. */
export function answering<R>(ask: () => R): ModelAnswer<R> {
  try {
    return { ok: ask() }
  } catch (error) {
    if (isStorageError(error)) return { error: error.code }
    throw error
  }
}

/**
 * The object that a client gets, current or by version.
 * @throws StorageError `NoSuchBucket`, `NoSuchKey`, `NoSuchVersion`, `MethodNotAllowed` for a delete marker by its
 * name, `InvalidArgument` for a version name if versioning was never set.
 */
export function findObject(
  state: ModelState,
  bucketName: string,
  key: string,
  ref?: ModelVersionRef,
): ModelObjectVersion {
  const bucket = bucketNamed(state, bucketName)
  const versions = versionsOf(bucket, key)
  if (ref === undefined) {
    if (versions[0]?.object === undefined) throw refusal('NoSuchKey')
    return { ...versions[0], object: versions[0].object }
  }
  if (bucket.versioning === undefined && ref !== 'null') throw refusal('InvalidArgument')
  const version = versions.find((each) => refOf(each) === ref)
  if (version === undefined) throw refusal('NoSuchVersion')
  if (version.object === undefined) throw refusal('MethodNotAllowed')
  return { ...version, object: version.object }
}

/** The names of all buckets, in the order of their bytes. */
export const listBuckets = (state: ModelState): readonly string[] => byBytes(state.buckets.keys(), (name) => name)

/** The current objects: keys whose newest version is not a delete marker. */
export function listObjects(
  state: ModelState,
  bucket: string,
  options: ModelListOptions = {},
): readonly Listed<ModelObjectVersion>[] {
  return rollUp(
    listVersions(state, bucket).flatMap((version) =>
      'prefix' in version || !version.isLatest || version.object === undefined
        ? []
        : [{ ...version, object: version.object }],
    ),
    options,
  )
}

/** In the order of the keys' bytes; the newest version of a key first. */
export function listVersions(
  state: ModelState,
  bucketName: string,
  options: ModelListOptions = {},
): readonly Listed<ModelVersion & { readonly isLatest: boolean }>[] {
  const { keys } = bucketNamed(state, bucketName)
  const all = [...keys].flatMap(([key, versions]) =>
    versions.map((version, i) => ({ ...version, key, isLatest: i === 0 })),
  )
  return rollUp(all, options)
}

/** By key, then by start. */
export function listUploads(
  state: ModelState,
  bucketName: string,
  options: ModelListOptions = {},
): readonly Listed<ModelUpload>[] {
  const { uploads } = bucketNamed(state, bucketName)
  return rollUp(
    [...uploads.values()].sort((a, b) => a.time - b.time),
    options,
  )
}

/** In the order of part numbers. */
export function listParts(
  state: ModelState,
  upload: { readonly bucket: string; readonly key: string; readonly upload: string },
): readonly { readonly number: number; readonly body: string }[] {
  const parts = [...uploadNamed(state, upload).parts].sort(([a], [b]) => a - b)
  return parts.map(([number, body]) => ({ number, body }))
}

function rollUp<T extends { readonly key: string }>(
  items: readonly T[],
  { prefix = '', delimiter = '', after = '' }: ModelListOptions,
): readonly Listed<T>[] {
  const entries = new Map<unknown, Listed<T>>()
  for (const item of byBytes(items, ({ key }) => key)) {
    if (!item.key.startsWith(prefix) || !isAfter(item.key, after)) continue
    const common = commonPrefix(item.key, prefix, delimiter)
    if (common === undefined) entries.set(item, item)
    else if (!after.startsWith(common)) entries.set(common, { prefix: common })
  }
  return [...entries.values()]
}

function commonPrefix(key: string, prefix: string, delimiter: string): string | undefined {
  const at = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length)
  return at < 0 ? undefined : key.slice(0, at + delimiter.length)
}

/** Compares the bytes of two texts in UTF-8. */
export const byText = (a: string, b: string): number => compareBytes(encodeUtf8(a), encodeUtf8(b))

/** Sorts by the bytes of the names or keys in UTF-8. */
function byBytes<T>(items: Iterable<T>, textOf: (item: T) => string): readonly T[] {
  const sorted = [...items].map((item) => ({ item, bytes: encodeUtf8(textOf(item)) }))
  sorted.sort((a, b) => compareBytes(a.bytes, b.bytes))
  return sorted.map(({ item }) => item)
}

const isAfter = (key: string, after: string): boolean =>
  after === '' || compareBytes(encodeUtf8(key), encodeUtf8(after)) > 0

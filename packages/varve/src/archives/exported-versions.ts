/** The versions of a bucket as an archive has them, with the contents of small ones. */
import { createHash } from 'node:crypto'
import {
  type AnnotatedVersion,
  contentHeaderFields,
  type ContentHeaders,
  isStorageError,
  type ListedMarker,
  type ListedVersion,
  type ObjectInfo,
  type PastStore,
} from '@varve/core'
import type { ArchivedVersion, ContentAbsence } from './documents.ts'
import { inOrder } from './in-order.ts'
import { oldestFirst } from './oldest-first.ts'

/** Contents up to this size are read once, and larger ones twice: their digest stands before them. */
const heldMax = 1024 * 1024
/** Contents that are in memory at once. */
const atOnce = 8

/** A version to write. */
export interface ExportedVersion {
  /** Without a path, which depends on the other keys. */
  readonly facts: Omit<ArchivedVersion, 'path'>
  /** True if it is the newest of its key. */
  readonly isNewest: boolean
  /** Present for small contents. */
  readonly held?: Uint8Array
  /** Reads the content again. Absent for delete markers and absent contents. */
  read?(): AsyncIterable<Uint8Array>
}

interface Entry {
  readonly key: string
  readonly versionId?: string
  readonly marker?: ListedMarker
  readonly next?: ListedVersion | ListedMarker
  readonly isNewest: boolean
}

export interface ExportedBucket {
  readonly past: PastStore
  readonly bucket: string
  readonly withHistory: boolean
  readonly signal: AbortSignal | undefined
}

/** In the order of the keys' bytes; the oldest version of a key first. */
export const exportedVersions = (from: ExportedBucket): AsyncGenerator<ExportedVersion> =>
  inOrder(from.withHistory ? allEntries(from) : newestEntries(from), atOnce, (entry) => exported(from, entry))

async function* newestEntries({ past, bucket, signal }: ExportedBucket): AsyncGenerator<Entry> {
  for await (const entry of past.objects.list(bucket, signal === undefined ? {} : { signal })) {
    if (entry.kind === 'object') yield { key: entry.key, isNewest: true }
  }
}

async function* allEntries({ past, bucket, signal }: ExportedBucket): AsyncGenerator<Entry> {
  const entries = oldestFirst<ListedVersion | ListedMarker>(async (after) => {
    const markers = after && { keyMarker: after.key, versionIdMarker: after.versionId }
    const page = await past.versions.listPage(bucket, { ...markers, ...(signal && { signal }) })
    return { isTruncated: page.isTruncated, entries: page.entries.filter((entry) => entry.kind !== 'prefix') }
  })
  let before: ListedVersion | ListedMarker | undefined
  for await (const entry of entries) {
    if (before !== undefined) yield entryOf(before, before.key === entry.key ? entry : undefined)
    before = entry
  }
  if (before !== undefined) yield entryOf(before)
}

const entryOf = (of: ListedVersion | ListedMarker, next?: ListedVersion | ListedMarker): Entry => ({
  key: of.key,
  versionId: of.versionId,
  isNewest: next === undefined,
  ...(of.kind === 'marker' && { marker: of }),
  ...(next !== undefined && { next }),
})

async function exported(from: ExportedBucket, entry: Entry): Promise<ExportedVersion> {
  const { past, bucket, signal } = from
  const { key, versionId, marker, next, isNewest } = entry
  signal?.throwIfAborted()
  const superseded = next === undefined ? {} : { superseded: placeOf(next) }
  if (marker !== undefined) {
    const { owner } = marker
    return { isNewest, facts: { kind: 'marker', key, ...placeOf(marker), owner: { ...owner }, ...superseded } }
  }
  const options = { ...(versionId !== undefined && { versionId }), ...(signal && { signal }) }
  const info = await past.objects.head(bucket, key, options)
  const annotations = await past.objects.annotations(bucket, key, options)
  const read = () => contentOf(from, key, options)
  const { size } = info
  const digest = await digestOf(info, read)
  const absent = digest.absent === undefined ? {} : { absent: digest.absent }
  const facts = {
    kind: 'object' as const,
    key,
    ...placeOf(info),
    owner: { ...info.owner },
    ...superseded,
    ...absent,
    size,
    etag: info.etag,
    ...(digest.sha256 !== undefined && { sha256: digest.sha256 }),
    ...describedBy(info, annotations),
  }
  return { isNewest, facts, ...(digest.held && { held: digest.held }), ...(digest.sha256 !== undefined && { read }) }
}

const placeOf = ({ versionId, seq, lastModified }: Pick<ObjectInfo, 'versionId' | 'seq' | 'lastModified'>) => ({
  versionId,
  seq,
  lastModified: lastModified.toISOString(),
})

const headerNames = Object.keys(contentHeaderFields) as readonly (keyof ContentHeaders)[]

function describedBy(info: ObjectInfo, annotations: AnnotatedVersion): Partial<ArchivedVersion> {
  const { metadata, checksum, encryption, partsCount, storageClass } = info
  const { tags, acl, retention, legalHold } = annotations
  return {
    ...Object.fromEntries(headerNames.flatMap((name) => (info[name] === undefined ? [] : [[name, info[name]]]))),
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(tags && tags.length > 0 && { tags }),
    ...(acl && { acl }),
    ...(retention && { retention }),
    ...(legalHold && { legalHold }),
    ...(storageClass !== undefined && { storageClass }),
    ...(checksum && { checksum }),
    ...(encryption && { encryption }),
    ...(partsCount !== undefined && { partsCount }),
  }
}

interface ContentDigest {
  readonly sha256?: string
  readonly held?: Uint8Array
  readonly absent?: ContentAbsence
}

async function digestOf(info: ObjectInfo, read: () => AsyncIterable<Uint8Array>): Promise<ContentDigest> {
  if (info.encryption?.mode === 'SSE-C') return { absent: 'customer-key' }
  const hash = createHash('sha256')
  const held = info.size <= heldMax ? new Uint8Array(info.size) : undefined
  let filled = 0
  try {
    for await (const chunk of read()) {
      hash.update(chunk)
      held?.set(chunk, filled)
      filled += chunk.length
    }
  } catch (error) {
    if (isStorageError(error, 'ObjectErased')) return { absent: 'erased' }
    throw error
  }
  return { sha256: hash.digest('hex'), ...(held && { held }) }
}

async function* contentOf(
  { past, bucket }: ExportedBucket,
  key: string,
  options: { readonly versionId?: string; readonly signal?: AbortSignal },
): AsyncGenerator<Uint8Array> {
  const content = await past.objects.get(bucket, key, options)
  try {
    yield* content.body
  } finally {
    await content.close()
  }
}

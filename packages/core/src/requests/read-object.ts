/** Reads one object, in the newest state or as of a position: both use the same code. */
import { type Soon, soonOrFailed, whenThere } from '../base/soon.ts'
import { assertPresent, type Extent, extentsOf, openExtents } from '../content/content-reader.ts'
import { type Lease, type LeasedBytes, leasedBytes } from '../content/leased-bytes.ts'
import { healingOf } from './healing-of.ts'
import { isOfPast } from './is-of-past.ts'
import { objectErased } from '../content/manifests.ts'
import { isUnrestored } from '../content/unrestored.ts'
import { isStorageError, StorageError } from '../base/errors.ts'
import { decodeUtf8 } from '../bytes/utf8.ts'
import type { BlobRef, Seal } from '../events/index.ts'
import type { ByteRange, Seq } from '../ports/index.ts'
import type { ReadSnapshot } from '../reads/read-snapshot.ts'
import { checkReadConditions } from '../reads/read-conditions.ts'
import { resolveRange } from '../reads/resolve-range.ts'
import type { ObjectVersionRow } from '../views/version-row.ts'
import type { GetOptions, HeadOptions, ObjectContent, ObjectInfo } from '../api/types/index.ts'
import { objectInfo } from './object-info.ts'
import type { Expirations } from './expirations.ts'
import { type FoundObject, findObject } from './find-object.ts'
import { isMissing, missingPastBytes } from './missing-bytes.ts'
import { partsMissing, selectPart } from './object-parts.ts'
import type { ReadScope } from './read-scope.ts'
import type { RequestEngine } from './request-engine.ts'

/**
 * The bytes of the version that `find` finds. The lease begins before the lookup, so the found bytes are not erased
 * before they are read.
 */
export async function readFound(
  scope: ReadScope,
  { bucket, key }: { readonly bucket: string; readonly key: string },
  options: Omit<GetOptions, 'versionId'>,
  find: () => Soon<FoundObject>,
): Promise<ObjectContent> {
  const { signal, thrifty, reuseBuffers, customerKey } = options
  signal?.throwIfAborted()
  const { requests, at } = scope
  const release = requests.owner.beginRead(at)
  try {
    const erasing = at === undefined ? undefined : requests.owner.erased(at)
    if (erasing !== undefined) await erasing
    const finding = find()
    const found = finding instanceof Promise ? await finding : finding
    requests.keys.checkReader(found.row.facts.encryption, customerKey ? { customerKey, needsKey: true } : needsKey)
    const selecting = selectFound(scope, objectInfo(bucket, key, found), found.row, options)
    const info = selecting instanceof Promise ? await selecting : selecting
    const range = info.range ?? { start: 0, end: info.size }
    const of = { bucket, key, versionId: info.versionId }
    const lease = { of, release, signal, thrifty, reuseBuffers, customerKey }
    const opening = openBody(scope, found.row, range, lease)
    return content(info, opening instanceof Promise ? await opening : opening)
  } catch (error) {
    release()
    throw error
  }
}

const needsKey = { needsKey: true } as const

interface ShownObject {
  readonly bucket: string
  readonly key: string
  readonly id: string | undefined
  readonly expirations: Expirations
}

/** A current object, with the time when its bucket's lifecycle rules remove it. */
export function findShown(snapshot: ReadSnapshot, { bucket, key, id, expirations }: ShownObject): Soon<FoundObject> {
  return whenThere(findObject(snapshot, bucket, key, id), (found) =>
    id !== undefined || found.bucket.settings?.Lifecycle === undefined
      ? found
      : withExpiration(snapshot, { bucket, key, expirations }, found),
  )
}

async function withExpiration(
  snapshot: ReadSnapshot,
  { bucket, key, expirations }: Omit<ShownObject, 'id'>,
  found: FoundObject,
): Promise<FoundObject> {
  const { size, at } = found.row
  const { tags = [] } = found.annotations
  const expiration = await expirations.find(snapshot, { name: bucket, row: found.bucket }, { key, size, tags, at })
  return expiration === undefined ? found : { ...found, expiration }
}

/** Checks the conditions before the range, as HTTP requires. */
export function selectFound(
  scope: ReadScope,
  info: ObjectInfo,
  row: ObjectVersionRow,
  options: HeadOptions,
): Soon<ObjectInfo> {
  checkReadConditions(info, options)
  const { partNumber, range } = options
  if (partNumber === undefined) {
    return range === undefined ? info : Object.assign({}, info, { range: resolveRange(range, info.size) })
  }
  if (range !== undefined) {
    throw new StorageError('InvalidRequest', 'Cannot specify both Range header and partNumber query parameter')
  }
  return whenThere(selectPart(scope, row, partNumber), (part) => ({ ...info, ...part }))
}

type BodyOptions = { readonly [K in 'thrifty' | 'reuseBuffers' | 'customerKey']: GetOptions[K] | undefined }

/** Opens the bytes and reads the first run: a missing or damaged blob is then an error before the response begins. */
function openBody(
  { requests, at }: ReadScope,
  row: ObjectVersionRow,
  range: ByteRange,
  { thrifty, reuseBuffers, customerKey, of, release, signal }: Pick<Lease, 'of' | 'release' | 'signal'> & BodyOptions,
): Soon<LeasedBytes> {
  const { blobs, hashing } = requests.ports
  const isPast = isOfPast(row, at)
  const healing = healingOf(requests.owner, { seq: row.seq, mayBeErased: isPast })
  const places = {
    manifest: (upload: Seq) => requests.manifests.contents(upload, row.size),
    unseal: (sealed: Seal, blob: BlobRef) =>
      healing.unseal({ sealed, blob }, () => requests.keys.unseal(sealed, blob, customerKey)),
  }
  const reader = { blobs, hashing, buffers: requests.buffers, thrifty, reuseBuffers, heal: healing.heal }
  const open = (extents: readonly Extent[]): Soon<LeasedBytes> =>
    whenThere(openExtents(reader, requests.owner.log, extents), ({ first, rest }) =>
      leasedBytes(first, rest, { size: range.end - range.start, open: requests.openReads, of, release, signal }),
    )
  // If the sweep crashed, only some bytes of a removed version may be left. One blob is checked by reading it.
  const mayLack = isPast && (row.until !== undefined || row.isBorrowed)
  const opening = (): Soon<LeasedBytes> =>
    whenThere(extentsOf(places, row.facts.content, range), (extents) =>
      mayLack && extents.length > 1
        ? assertPresent(reader, requests.owner.log, extents).then(() => open(extents))
        : open(extents),
    )
  return soonOrFailed(opening, (error) => (isPast ? refusedPast(requests, row, error) : refused(requests, row, error)))
}

/** Bytes of the past and their keys may have been erased. */
async function refusedPast(requests: RequestEngine, row: ObjectVersionRow, error: unknown): Promise<never> {
  throw await missingPastBytes(requests, row, error)
}

/** In a store that was restored from a replica, bytes of a version that exists may have been erased. */
async function refused(requests: RequestEngine, { facts, size }: ObjectVersionRow, error: unknown): Promise<never> {
  if (!isMissing(error)) throw explained(error)
  const { content } = facts
  const contents =
    content.kind === 'parts' ? await requests.manifests.contents(content.upload, size).catch(() => []) : [content]
  for (const each of contents)
    if (each.kind === 'blob' && (await isUnrestored(requests.owner.log, requests.ports.hashing, each.blob.id)))
      throw objectErased()
  throw explained(error)
}

/** Bytes of the present must exist: absence is damage. */
function explained(error: unknown): unknown {
  return isStorageError(error, 'ObjectErased') ? partsMissing() : error
}

/** Adds the bytes to `info`, which is this read's own. */
function content(info: ObjectInfo, body: LeasedBytes): ObjectContent {
  const { start, end } = info.range ?? { start: 0, end: info.size }
  const whole = (): Promise<Uint8Array> => {
    if (body.begun) throw new TypeError('The bytes of an object can be read once; ask for the object again.')
    return collect(body, end - start)
  }
  return Object.assign(info, {
    body,
    buffered: body.whole,
    bytes: async () => whole(),
    text: async () => decodeUtf8(await whole()),
    async close() {
      try {
        await body.return()
      } catch (error) {
        // The caller no longer wants these bytes, so an error in them is not reported.
        if (!isStorageError(error)) throw error
      }
    },
  })
}

/** Collects all bytes in one array. */
async function collect(body: LeasedBytes, size: number): Promise<Uint8Array> {
  const first = await body.next()
  if (first.done === true) return new Uint8Array()
  if (first.value.length === size) {
    // End the body instead of reading on: another read would let its buffer be used again.
    await body.return()
    return first.value
  }
  const bytes = new Uint8Array(size)
  bytes.set(first.value)
  let filled = first.value.length
  for await (const chunk of body) {
    bytes.set(chunk, filled)
    filled += chunk.length
  }
  return bytes
}

/** Reading objects, now or as of some position: both go through the same code. */
import { assertPresent, extentsOf, readExtents } from '../content/content-reader.ts'
import { type Lease, type LeasedBytes, leasedBytes } from '../content/leased-bytes.ts'
import { objectErased } from '../content/manifests.ts'
import { isStorageError, StorageError } from '../errors.ts'
import type { BlobRef, Seal } from '../events/index.ts'
import type { ByteRange, Seq } from '../ports/index.ts'
import { checkReadConditions } from '../reads/read-conditions.ts'
import type { Moment } from '../reads/moment.ts'
import { resolveRange } from '../reads/resolve-range.ts'
import { decodeUtf8 } from '../bytes/utf8.ts'
import type { ObjectVersionRow } from '../views/rows.ts'
import { versionId } from '../version-id.ts'
import type { AnnotatedVersion } from './annotate.ts'
import { checkBucket, checkPlace, optionsOf } from './arguments/common.ts'
import {
  annotationsOptions,
  attributeOptions,
  getOptions,
  headOptions,
  objectPageOptions,
} from './arguments/read-options.ts'
import { type Viewpoint, withMoment } from './context.ts'
import { describeObject } from './describe.ts'
import type { Expirations } from './expirations.ts'
import { type FoundObject, findObject } from './find-object.ts'
import { type Listing, listing } from './listing.ts'
import { listObjects } from './list-objects.ts'
import { pageOfParts, partsMissing, selectPart } from './object-parts.ts'
import type {
  AttributeOptions,
  Cancelable,
  CommonPrefix,
  GetOptions,
  HeadOptions,
  ListedObject,
  ListOptions,
  ObjectAttributes,
  ObjectContent,
  ObjectInfo,
  ObjectPage,
  ObjectPageOptions,
} from './types/index.ts'

export interface ReadObjects {
  /**
   * An object and its bytes, as a stream that is checked as it goes.
   * @throws StorageError `NoSuchBucket`, `NoSuchKey`, `NoSuchVersion`, `MethodNotAllowed` (a delete marker by id),
   * `PreconditionFailed`, `NotModified`, `InvalidRange`, `InvalidPartNumber`, `ObjectErased`, `BlobMissing`, `BlobCorrupt`;
   * where the bytes are encrypted, `InvalidRequest`, `AccessDenied` (another key), `KeyUnavailable`, `KMS.NotFoundException`.
   */
  get(bucket: string, key: string, options?: GetOptions): Promise<ObjectContent>
  /** The same without the bytes. */
  head(bucket: string, key: string, options?: HeadOptions): Promise<ObjectInfo>
  /**
   * What is known of an object beside its headers: of its parts too, when they are asked for.
   * @throws StorageError as `head`, and `ObjectErased` for parts that are gone.
   */
  attributes(bucket: string, key: string, options?: AttributeOptions): Promise<ObjectAttributes>
  /**
   * All that holds of a version: what it was made with, and what was said of it since.
   * @throws StorageError as `head`.
   */
  annotations(
    bucket: string,
    key: string,
    options?: { readonly versionId?: string } & Cancelable,
  ): Promise<AnnotatedVersion>
  /** Current objects by the bytes of their keys. */
  list(bucket: string, options?: ListOptions): Listing<ListedObject | CommonPrefix, ObjectPage>
  listPage(bucket: string, options?: ObjectPageOptions): Promise<ObjectPage>
}

export function readObjects(viewpoint: Viewpoint): ReadObjects {
  const { expirations } = viewpoint.desk
  const find = (bucket: string, key: string, { versionId: id }: Pick<HeadOptions, 'versionId'>): Promise<FoundObject> =>
    withMoment(viewpoint, (moment) => findShown(moment, { bucket, key, id, expirations }), { bucket, key })

  const listPage = (bucket: string, options: ObjectPageOptions) =>
    withMoment(viewpoint, (moment) => listObjects(moment, bucket, options), { bucket })

  return {
    async head(bucket, key, given) {
      checkPlace(bucket, key)
      const options = optionsOf(headOptions, given)
      options.signal?.throwIfAborted()
      const found = await find(bucket, key, options)
      viewpoint.desk.keys.checkReader(found.row.encryption, options)
      return select(viewpoint, describe(bucket, key, found), found.row, options)
    },

    async attributes(bucket, key, given) {
      checkPlace(bucket, key)
      const options = optionsOf(attributeOptions, given)
      options.signal?.throwIfAborted()
      const found = await find(bucket, key, options)
      viewpoint.desk.keys.checkReader(found.row.encryption, options)
      const info = describe(bucket, key, found)
      const parts = options.parts && (await pageOfParts(viewpoint, found.row, options.parts))
      return parts === undefined ? info : { ...info, parts }
    },

    async get(bucket, key, given) {
      checkPlace(bucket, key)
      const options = optionsOf(getOptions, given)
      return readFound(viewpoint, { bucket, key }, options, () => find(bucket, key, options))
    },

    async annotations(bucket, key, given) {
      checkPlace(bucket, key)
      const options = optionsOf(annotationsOptions, given)
      options.signal?.throwIfAborted()
      const { row, said } = await find(bucket, key, options)
      return { versionId: versionId(row), seq: row.seq, owner: row.owner, ...said }
    },

    listPage: async (bucket, options) => listPage(checkBucket(bucket), optionsOf(objectPageOptions, options)),
    list: (bucket, options) =>
      listing(
        () => optionsOf(objectPageOptions, options),
        (page) => listPage(checkBucket(bucket), page),
        ({ nextAfter }, page) => (nextAfter === undefined ? undefined : { ...page, after: nextAfter }),
      ),
  }
}

/**
 * The bytes of the version that `find` finds. The lease comes before the lookup: what it finds is not erased until the
 * bytes are read.
 */
export async function readFound(
  viewpoint: Viewpoint,
  { bucket, key }: { readonly bucket: string; readonly key: string },
  options: Omit<GetOptions, 'versionId'>,
  find: () => Promise<FoundObject>,
): Promise<ObjectContent> {
  const { signal, thrifty, reuseBuffers, customerKey } = options
  signal?.throwIfAborted()
  const { desk, at } = viewpoint
  const release = desk.owner.beginRead(at)
  try {
    await viewpoint.erased?.()
    const found = await find()
    desk.keys.checkReader(found.row.encryption, { ...(customerKey && { customerKey }), needsKey: true })
    const info = await select(viewpoint, describe(bucket, key, found), found.row, options)
    const range = info.range ?? { start: 0, end: info.size }
    const of = { bucket, key, versionId: info.versionId }
    return content(
      info,
      await openBody(viewpoint, found.row, range, { of, release, signal, thrifty, reuseBuffers, customerKey }),
    )
  } catch (error) {
    release()
    throw error
  }
}

interface ShownObject {
  readonly bucket: string
  readonly key: string
  readonly id: string | undefined
  readonly expirations: Expirations
}

/** A current object with the time when it goes by the rules of its bucket. */
async function findShown(moment: Moment, { bucket, key, id, expirations }: ShownObject): Promise<FoundObject> {
  const found = await findObject(moment, bucket, key, id)
  if (id !== undefined || found.bucket.settings?.Lifecycle === undefined) return found
  const { size, at } = found.row
  const { tags = [] } = found.said
  const expiration = await expirations.find(moment, { name: bucket, row: found.bucket }, { key, size, tags, at })
  return expiration === undefined ? found : { ...found, expiration }
}

const describe = (bucket: string, key: string, found: FoundObject): ObjectInfo => describeObject(bucket, key, found)

/** Conditions first, then the range: that is HTTP's order. */
async function select(
  viewpoint: Viewpoint,
  info: ObjectInfo,
  row: ObjectVersionRow,
  options: HeadOptions,
): Promise<ObjectInfo> {
  checkReadConditions(info, options)
  if (options.partNumber !== undefined) {
    if (options.range !== undefined) {
      throw new StorageError('InvalidRequest', 'Cannot specify both Range header and partNumber query parameter')
    }
    return { ...info, ...(await selectPart(viewpoint, row, options.partNumber)) }
  }
  return options.range === undefined ? info : { ...info, range: resolveRange(options.range, info.size) }
}

type BodyOptions = { readonly [K in 'thrifty' | 'reuseBuffers' | 'customerKey']: GetOptions[K] | undefined }

/** The bytes, with the first run already read: a missing or damaged blob is an error before the answer begins. */
async function openBody(
  { desk, at }: Viewpoint,
  row: ObjectVersionRow,
  range: ByteRange,
  { thrifty, reuseBuffers, customerKey, ...lease }: Pick<Lease, 'of' | 'release' | 'signal'> & BodyOptions,
): Promise<LeasedBytes> {
  const { blobs, hashing } = desk.ports
  const places = {
    manifest: (upload: Seq) => desk.manifests.contents(upload, row.size),
    unseal: (sealed: Seal, blob: BlobRef) => desk.keys.unseal(sealed, blob, customerKey),
  }
  try {
    const extents = await extentsOf(places, row.content, range)
    // Of a version that was removed, a crash of the sweep may have left some.
    if (at !== undefined && 'until' in row) await assertPresent(blobs, desk.owner.log, extents)
    const reader = { blobs, hashing, buffers: desk.buffers, thrifty, reuseBuffers }
    const bytes = readExtents(reader, desk.owner.log, extents)[Symbol.asyncIterator]()
    return leasedBytes(await bytes.next(), bytes, {
      size: range.end - range.start,
      open: desk.openReads,
      ...lease,
    })
  } catch (error) {
    // Gone is what bytes of the past may be, and what bytes of the present must not be.
    if (at !== undefined && isStorageError(error, 'BlobMissing')) throw objectErased()
    if (at === undefined && isStorageError(error, 'ObjectErased')) throw partsMissing()
    throw error
  }
}

function content(info: ObjectInfo, body: LeasedBytes): ObjectContent {
  const { start, end } = info.range ?? { start: 0, end: info.size }
  const whole = (): Promise<Uint8Array> => {
    if (body.begun) throw new TypeError('The bytes of an object can be read once; ask for the object again.')
    return collect(body, end - start)
  }
  return {
    body,
    buffered: body.whole,
    bytes: async () => whole(),
    text: async () => decodeUtf8(await whole()),
    async close() {
      try {
        await body.return()
      } catch (error) {
        // Nobody waits for these bytes any more, so nobody need hear what is wrong with them.
        if (!isStorageError(error)) throw error
      }
    },
    ...info,
  }
}

/** All of the bytes in one piece. */
async function collect(body: LeasedBytes, size: number): Promise<Uint8Array> {
  const first = await body.next()
  if (first.done === true) return new Uint8Array()
  if (first.value.length === size) {
    // Ended, rather than asked for more: its buffer is not used again.
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

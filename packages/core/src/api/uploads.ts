import type { CompletedPart } from '../commands/command.ts'
import { type Soon, soonOrFailed } from '../base/soon.ts'
import type { Expiration } from '../lifecycle/expiration.ts'
import { type Body, withBody } from '../content/body.ts'
import { reported } from '../content/reported.ts'
import type { RecordedEvent } from '../events/index.ts'
import { checked } from '../schema/schema.ts'
import { number } from '../schema/scalars.ts'
import { atCall } from './arguments/at-call.ts'
import { cancelable, checkBucket, checkPlace, optionsOf } from './arguments/common.ts'
import { partPageOptions, uploadPageOptions } from './arguments/read-options.ts'
import {
  completedParts,
  completeOptions,
  copyPartOptions,
  createUploadOptions,
  partCopySource,
  uploadPartOptions,
  uploadPlace,
  uploadRef,
} from './arguments/upload-options.ts'
import { completeUpload } from '../requests/complete-upload.ts'
import { type ReadScope, withSnapshot } from '../requests/read-scope.ts'
import type { NamedBucket } from '../reads/read-snapshot.ts'
import type { StoreContext } from '../requests/request-context.ts'
import { createdFacts, protectionFor, shownEncryption } from '../requests/protection.ts'
import { findBucket } from '../requests/find-bucket.ts'
import { placedSource } from '../requests/find-source.ts'
import { creationOf, objectMetadata } from '../requests/creation-options.ts'
import type { RequestEngine } from '../requests/request-engine.ts'
import { versionWithReceipt } from '../requests/with-receipt.ts'
import { listParts, listUploads } from '../listings/list-uploads.ts'
import { type Listing, listing } from './listing.ts'
import type {
  Cancelable,
  CommonPrefix,
  CompleteOptions,
  CreateUploadOptions,
  ListedUpload,
  ListOptions,
  PartCopySource,
  PartInfo,
  PartPage,
  PartPageOptions,
  PartResult,
  PutResult,
  ReadsEncrypted,
  UploadInfo,
  UploadPage,
  UploadPageOptions,
  UploadPartOptions,
  UploadRef,
} from './types/index.ts'
import type { UploadPlace } from '../requests/upload-ids.ts'
import { addPart, copyPart } from '../requests/upload-parts.ts'

/** Uploads objects in parts. */
export interface Uploads {
  /** @throws StorageError `NoSuchBucket`, `KeyTooLongError`, `MetadataTooLarge`. */
  create(bucket: string, key: string, options?: CreateUploadOptions): Promise<UploadInfo>
  /**
   * Returns the id of an upload from the position and the epoch of its `UploadStarted`. Readers of the log need it,
   * because events have no upload ids. It does not check that the upload exists.
   */
  idOf(upload: UploadPlace): Promise<string>
  /** @throws StorageError `NoSuchBucket`, `NoSuchUpload`. */
  head(upload: UploadRef): Promise<UploadInfo>
  /**
   * Part numbers are 1 to 10,000. If a part is uploaded twice, the upload that finishes last wins.
   * @throws StorageError `NoSuchBucket`, `NoSuchUpload`, `InvalidArgument`, and what `objects.put` throws for bytes.
   */
  uploadPart(upload: UploadRef, partNumber: number, body: Body, options?: UploadPartOptions): Promise<PartResult>
  /** Copies a part from stored bytes. @throws StorageError as `uploadPart`, and as `objects.copy` for its source. */
  copyPart(
    upload: UploadRef,
    partNumber: number,
    source: PartCopySource,
    options?: Cancelable & ReadsEncrypted,
  ): Promise<PartResult & { readonly sourceVersionId: string }>
  /**
   * Makes an object of the parts, in ascending order of their numbers. Copies no bytes.
   * @throws StorageError `NoSuchUpload`, `InvalidPart`, `InvalidPartOrder`, `EntityTooSmall`, `PreconditionFailed`.
   */
  complete(upload: UploadRef, parts: readonly CompletedPart[], options?: CompleteOptions): Promise<PutResult>
  /** @throws StorageError `NoSuchBucket`, `NoSuchUpload`. */
  abort(upload: UploadRef, options?: Cancelable): Promise<void>
  /** Uploads in progress, by key and then by start. */
  list(bucket: string, options?: ListOptions): Listing<ListedUpload | CommonPrefix, UploadPage>
  listPage(bucket: string, options?: UploadPageOptions): Promise<UploadPage>
  listParts(upload: UploadRef, options?: Cancelable): Listing<PartInfo, PartPage>
  listPartsPage(upload: UploadRef, options?: PartPageOptions): Promise<PartPage>
}

export function uploads(requests: RequestEngine, context: StoreContext): Uploads {
  const scope = { requests, context }
  return {
    async create(bucket, key, options) {
      checkPlace(bucket, key)
      return createUpload(requests, context, { bucket, key }, optionsOf(createUploadOptions, options))
    },
    async idOf(place) {
      const { epoch, ...upload } = checked('place', uploadPlace, place)
      return (await requests.uploadIds()).idOf({ ...upload, epoch })
    },
    head: (upload) => headUpload(scope, upload),
    uploadPart: (upload, partNumber, body, options) =>
      withBody(body, async (source) => {
        const place = { ...refOf(upload), partNumber: numberOf(partNumber) }
        const given = optionsOf(uploadPartOptions, options)
        return addPart(requests, context, { ...place, source: reported(source, given.onProgress) }, given)
      }),
    async copyPart(upload, partNumber, source, options) {
      const place = { ...refOf(upload), partNumber: numberOf(partNumber) }
      const given = checked('source', partCopySource, source)
      const checkedOptions = optionsOf(copyPartOptions, options)
      const part = { ...place, source: await placedSource(requests, given) }
      return copyPart(requests, context, part, checkedOptions)
    },
    async complete(upload, parts, options) {
      const completion = { ...refOf(upload), parts: checked('parts', completedParts, parts) }
      const given = optionsOf(completeOptions, options)
      return versionWithReceipt(requests.owner, given, () => completeUpload(requests, context, completion, given))
    },
    async abort(upload, options) {
      const ref = refOf(upload)
      optionsOf(cancelable, options).signal?.throwIfAborted()
      const place = (await requests.uploadIds()).placeOf(ref)
      await requests.submit('AbortMultipartUpload', place, context)
    },
    ...uploadListings({
      listPage: (bucket, options) => listUploads(scope, bucket, options),
      listPartsPage: (upload, options) => listParts(scope, upload, options),
    }),
  }
}

export interface UploadPages {
  listPage(bucket: string, options: UploadPageOptions): Promise<UploadPage>
  listPartsPage(upload: UploadRef, options: PartPageOptions): Promise<PartPage>
}

export type UploadListings = Pick<Uploads, 'list' | 'listPage' | 'listParts' | 'listPartsPage'>

/** Checks arguments and goes from page to page. `pages` reads, wherever the store is. */
export const uploadListings = (pages: UploadPages): UploadListings => ({
  listPage: async (bucket, options) => pages.listPage(checkBucket(bucket), optionsOf(uploadPageOptions, options)),
  list: (bucket, options) =>
    listing(
      () => optionsOf(uploadPageOptions, options),
      (page) => pages.listPage(checkBucket(bucket), page),
      ({ last }, { keyMarker: _key, uploadIdMarker: _id, ...page }) =>
        last && { ...page, keyMarker: last.key, ...(last.uploadId && { uploadIdMarker: last.uploadId }) },
    ),
  listPartsPage: async (upload, options) => pages.listPartsPage(refOf(upload), optionsOf(partPageOptions, options)),
  listParts(upload, options) {
    const ref = atCall(() => refOf(upload))
    return listing(
      () => optionsOf(partPageOptions, options),
      (page) => pages.listPartsPage(ref(), page),
      ({ last }, page) => ({ ...page, after: last }),
    )
  },
})

/** @throws StorageError `NoSuchBucket`, `NoSuchUpload` */
export const headUpload = async (scope: ReadScope, upload: UploadRef): Promise<UploadInfo> =>
  (await listParts(scope, refOf(upload), { limit: 0 })).upload

const refOf = (upload: unknown): UploadRef => checked('upload', uploadRef, upload)

const numberOf = (partNumber: unknown): number => checked('partNumber', number, partNumber)

async function createUpload(
  requests: RequestEngine,
  context: StoreContext,
  { bucket, key }: { readonly bucket: string; readonly key: string },
  options: CreateUploadOptions,
): Promise<UploadInfo> {
  options.signal?.throwIfAborted()
  await requests.assertRoom()
  const { checksumAlgorithm, checksumType, defaultChecksumAlgorithm } = options
  const checksum = { ...(checksumAlgorithm && { checksumAlgorithm }), ...(checksumType && { checksumType }) }
  const byDefault = checksumAlgorithm === undefined && defaultChecksumAlgorithm ? { defaultChecksumAlgorithm } : {}
  const creation = creationOf(options)
  // Read the ids before the upload is created: an upload without an id would be unusable.
  const ids = await requests.uploadIds()
  const found = await findBucket(requests, context, bucket)
  const protection = await protectionFor(requests, context, found, options)
  const command = {
    bucket,
    key,
    metadata: objectMetadata(options),
    ...createdFacts(creation, protection),
    ...checksum,
    ...byDefault,
  }
  const [event] = (await requests.submit('CreateMultipartUpload', command, context)) as [RecordedEvent<'UploadStarted'>]
  const { seq, epoch, at, by: initiator, data } = event
  const uploadId = ids.idOf({ bucket, key, upload: seq, epoch })
  const started = { uploadId, initiated: new Date(at), owner: data.owner ?? initiator, initiator }
  const { storageClass } = creation
  const shown = { ...(storageClass && { storageClass }), ...shownEncryption(protection?.encryption) }
  const ruled = found.row.settings?.Lifecycle !== undefined
  const expiration = ruled ? await abortionFound(requests, context, found, { key, at }) : undefined
  return { bucket, key, ...started, ...checksum, ...shown, ...(expiration && { expiration }) }
}

/** The upload is there, even if its bucket was deleted meanwhile. */
const abortionFound = (
  requests: RequestEngine,
  context: StoreContext,
  bucket: NamedBucket,
  upload: { readonly key: string; readonly at: number },
): Soon<Expiration | undefined> =>
  soonOrFailed(
    () =>
      withSnapshot({ requests, context }, (snapshot) => requests.expirations.findAbortion(snapshot, bucket, upload), {
        bucket: bucket.name,
      }),
    () => undefined,
  )

import type { CompletedPart } from '../commands/command.ts'
import type { Body } from '../content/body.ts'
import type { RecordedEvent } from '../events/index.ts'
import { completeUpload } from './complete-upload.ts'
import type { StoreContext } from './context.ts'
import { metadataOf } from './describe.ts'
import { creationOf } from './creation-options.ts'
import type { Desk } from './desk.ts'
import { bucketNamed, createdFacts, protectionFor, shownEncryption } from './encrypt.ts'
import { listParts, listUploads } from './list-uploads.ts'
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
import type { UploadPlace } from './upload-ids.ts'
import { addPart, copyPart } from './upload-parts.ts'

export interface Uploads {
  /** @throws StorageError `NoSuchBucket`, `KeyTooLongError`, `MetadataTooLarge`. */
  create(bucket: string, key: string, options?: CreateUploadOptions): Promise<UploadInfo>
  /**
   * The id of an upload by the position of its `UploadStarted`: for those who follow the log, in which no ids are. It is not
   * looked up.
   */
  idOf(upload: UploadPlace): Promise<string>
  /** @throws StorageError `NoSuchBucket`, `NoSuchUpload`. */
  head(upload: UploadRef): Promise<UploadInfo>
  /**
   * Part numbers are 1 to 10,000; the part whose upload finishes last is the part.
   * @throws StorageError `NoSuchBucket`, `NoSuchUpload`, `InvalidArgument`, and what `objects.put` throws for bytes.
   */
  uploadPart(upload: UploadRef, partNumber: number, body: Body, options?: UploadPartOptions): Promise<PartResult>
  /** A part from bytes that are already here. @throws StorageError as `uploadPart`, and as `objects.copy` for its source. */
  copyPart(
    upload: UploadRef,
    partNumber: number,
    source: PartCopySource,
    options?: Cancelable & ReadsEncrypted,
  ): Promise<PartResult & { readonly sourceVersionId: string }>
  /**
   * Makes the object of the parts, in ascending order of their numbers: no byte is copied.
   * @throws StorageError `NoSuchUpload`, `InvalidPart`, `InvalidPartOrder`, `EntityTooSmall`, `PreconditionFailed`.
   */
  complete(upload: UploadRef, parts: readonly CompletedPart[], options?: CompleteOptions): Promise<PutResult>
  /** @throws StorageError `NoSuchBucket`, `NoSuchUpload`. */
  abort(upload: UploadRef, options?: Cancelable): Promise<void>
  /** Uploads in progress: by key, then in the order they were started. */
  list(bucket: string, options?: ListOptions): Listing<ListedUpload | CommonPrefix, UploadPage>
  listPage(bucket: string, options?: UploadPageOptions): Promise<UploadPage>
  listParts(upload: UploadRef, options?: Cancelable): Listing<PartInfo, PartPage>
  listPartsPage(upload: UploadRef, options?: PartPageOptions): Promise<PartPage>
}

export function uploads(desk: Desk, context: StoreContext): Uploads {
  const viewpoint = { desk, context }
  const listPage = (bucket: string, options: UploadPageOptions = {}) => listUploads(viewpoint, bucket, options)
  const listPartsPage = (upload: UploadRef, options: PartPageOptions = {}) => listParts(viewpoint, upload, options)

  return {
    create: (bucket, key, options = {}) => createUpload(desk, context, { bucket, key }, options),
    idOf: async (place) => (await desk.uploadIds()).idOf(place),
    head: async (upload) => (await listPartsPage(upload, { limit: 0 })).upload,
    uploadPart: (upload, partNumber, body, options = {}) =>
      addPart(desk, context, { ...upload, partNumber, body }, options),
    copyPart: (upload, partNumber, source, options = {}) =>
      copyPart(desk, context, { ...upload, partNumber, source }, options),
    complete: (upload, parts, options = {}) => completeUpload(desk, context, { ...upload, parts }, options),
    async abort(upload, { signal } = {}) {
      signal?.throwIfAborted()
      const { bucket, key } = upload
      const position = (await desk.uploadIds()).positionOf(upload)
      await desk.submit('AbortMultipartUpload', { bucket, key, upload: position }, context)
    },
    listPage,
    list: (bucket, options: UploadPageOptions = {}) =>
      listing(
        options,
        (page) => listPage(bucket, page),
        ({ last }, { keyMarker: _key, uploadIdMarker: _id, ...page }) =>
          last && { ...page, keyMarker: last.key, ...(last.uploadId && { uploadIdMarker: last.uploadId }) },
      ),
    listPartsPage,
    listParts: (upload, options: PartPageOptions = {}) =>
      listing(
        options,
        (page) => listPartsPage(upload, page),
        ({ last }, page) => ({ ...page, after: last }),
      ),
  }
}

async function createUpload(
  desk: Desk,
  context: StoreContext,
  { bucket, key }: { readonly bucket: string; readonly key: string },
  options: CreateUploadOptions,
): Promise<UploadInfo> {
  options.signal?.throwIfAborted()
  await desk.assertRoom()
  const { checksumAlgorithm, checksumType, defaultChecksumAlgorithm } = options
  const checksum = { ...(checksumAlgorithm && { checksumAlgorithm }), ...(checksumType && { checksumType }) }
  const byDefault = checksumAlgorithm === undefined && defaultChecksumAlgorithm ? { defaultChecksumAlgorithm } : {}
  const creation = creationOf(options)
  // Before there is an upload that nobody could be given the id of.
  const ids = await desk.uploadIds()
  const protection = await protectionFor(desk, context, await bucketNamed(desk, context, bucket), options)
  const command = {
    bucket,
    key,
    metadata: metadataOf(options),
    ...createdFacts(creation, protection),
    ...checksum,
    ...byDefault,
  }
  const [event] = (await desk.submit('CreateMultipartUpload', command, context)) as [RecordedEvent<'UploadStarted'>]
  const { seq, at, by: initiator, data } = event
  const uploadId = ids.idOf({ bucket, key, upload: seq })
  const started = { uploadId, initiated: new Date(at), owner: data.owner ?? initiator, initiator }
  const { storageClass } = creation
  const said = { ...(storageClass && { storageClass }), ...shownEncryption(protection?.encryption) }
  return { bucket, key, ...started, ...checksum, ...said }
}

import { byteSource, type Body } from '../content/body.ts'
import { checkPartNumber } from '../decide/upload-part.ts'
import { noSuchUpload } from '../decide/uploads.ts'
import { StorageError } from '../errors.ts'
import type { CompletedPart } from '../commands/command.ts'
import type { PartAdded, RecordedEvent } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'
import { committedRows } from '../views/row-reader.ts'
import type { UploadRow } from '../views/rows.ts'
import { bucketTable, completionTable, uploadTable } from '../views/tables.ts'
import { parseUploadId, uploadId, versionId } from '../version-id.ts'
import { decodeEvent } from '../events/event-codec.ts'
import { noSuchBucket } from '../decide/conditions.ts'
import { checkBytes, digestsFor } from './byte-checks.ts'
import { commandMeta, type StoreContext } from './context.ts'
import { describePart, metadataOf } from './describe.ts'
import { type Engine, findEvent } from './engine.ts'
import { type Listing, listing } from './listing.ts'
import { listParts, listUploads } from './list-uploads.ts'
import { findSource, putResult, writeConditions } from './objects.ts'
import { readObjects } from './read-objects.ts'
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
  PutResult,
  UploadInfo,
  UploadPage,
  UploadPageOptions,
  UploadPartOptions,
  UploadRef,
} from './types.ts'

export interface Uploads {
  /** @throws StorageError `NoSuchBucket`, `KeyTooLongError`, `MetadataTooLarge`. */
  create(bucket: string, key: string, options?: CreateUploadOptions): Promise<UploadInfo>
  /** @throws StorageError `NoSuchUpload`. */
  head(upload: UploadRef): Promise<UploadInfo>
  /** Part numbers are 1 to 10,000; the part whose upload finishes last is the part. @throws StorageError `NoSuchUpload`, `InvalidArgument`. */
  uploadPart(upload: UploadRef, partNumber: number, body: Body, options?: UploadPartOptions): Promise<PartInfo>
  /** A part from bytes that are already here. */
  copyPart(
    upload: UploadRef,
    partNumber: number,
    source: PartCopySource,
    options?: Cancelable,
  ): Promise<PartInfo & { readonly sourceVersionId: string }>
  /** Makes the object: no byte is copied. @throws StorageError `NoSuchUpload`, `InvalidPart`, `InvalidPartOrder`, `EntityTooSmall`. */
  complete(upload: UploadRef, parts: readonly CompletedPart[], options?: CompleteOptions): Promise<PutResult>
  /** @throws StorageError `NoSuchUpload`. */
  abort(upload: UploadRef, options?: Cancelable): Promise<void>
  /** Uploads in progress: by key, then in the order they were started. */
  list(bucket: string, options?: ListOptions): Listing<ListedUpload | CommonPrefix, UploadPage>
  listPage(bucket: string, options?: UploadPageOptions): Promise<UploadPage>
  listParts(upload: UploadRef, options?: Cancelable): Listing<PartInfo, PartPage>
  listPartsPage(upload: UploadRef, options?: PartPageOptions): Promise<PartPage>
}

export function uploads(engine: Engine, context: StoreContext): Uploads {
  const meta = () => commandMeta(context, engine.ports.ids)
  const listPage = (bucket: string, options: UploadPageOptions = {}) => listUploads(engine, bucket, options)
  const listPartsPage = (upload: UploadRef, options: PartPageOptions = {}) => listParts(engine, upload, options)

  const addPart = async (
    upload: UploadRef,
    partNumber: number,
    body: Body,
    options: UploadPartOptions,
  ): Promise<PartInfo> => {
    options.signal?.throwIfAborted()
    checkPartNumber(partNumber)
    const { row, place } = await findUpload(engine, upload)
    const checks = defaultChecksum(row, options)
    return engine.withContent(byteSource(body), digestsFor(checks), options.signal, async (written) => {
      const { content, size } = written
      const command = { ...place, partNumber, size, content, ...checkBytes(written, checks) }
      const event = findEvent(await engine.submit('UploadPart', command, meta(), written), 'PartAdded')
      return partInfo(event as RecordedEvent<'PartAdded'>)
    })
  }

  return {
    async create(bucket, key, options = {}) {
      options.signal?.throwIfAborted()
      await engine.assertRoom()
      const { checksumAlgorithm, checksumType } = options
      const checksum = { ...(checksumAlgorithm && { checksumAlgorithm }), ...(checksumType && { checksumType }) }
      const command = { bucket, key, metadata: metadataOf(options), ...checksum }
      const [event] = (await engine.submit('CreateMultipartUpload', command, meta())) as [RecordedEvent]
      const started = { uploadId: uploadId(event.seq), initiated: new Date(event.at), owner: event.by }
      return { bucket, key, ...started, ...checksum }
    },
    head: async (upload) => (await listPartsPage(upload, { limit: 0 })).upload,
    uploadPart: (upload, partNumber, body, options = {}) => addPart(upload, partNumber, body, options),
    async copyPart(upload, partNumber, source, options = {}) {
      const { row } = await findSource(engine, source)
      const range = source.range && { first: source.range.start, last: source.range.end - 1 }
      const id = versionId(row)
      const object = await readObjects({ engine }).get(source.bucket, source.key, {
        versionId: id,
        ...(range && { range }),
        ...options,
      })
      try {
        return { ...(await addPart(upload, partNumber, object.body, options)), sourceVersionId: id }
      } finally {
        await object.close()
      }
    },
    async complete(upload, parts, options = {}) {
      options.signal?.throwIfAborted()
      const place = { bucket: upload.bucket, key: upload.key, upload: positionOf(upload) }
      const { size, checksum, checksumType, repeatable = false } = options
      const command = {
        ...place,
        parts,
        conditions: writeConditions(options),
        repeatable,
        ...(size !== undefined && { size }),
        ...(checksum && { checksum }),
        ...(checksumType && { checksumType }),
      }
      const events = await engine.submit('CompleteMultipartUpload', command, meta())
      return putResult(events.length > 0 ? events : [await completionOf(engine, place.upload)])
    },
    async abort(upload, options = {}) {
      options.signal?.throwIfAborted()
      const { bucket, key } = upload
      await engine.submit('AbortMultipartUpload', { bucket, key, upload: positionOf(upload) }, meta())
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

export function positionOf({ uploadId: id }: UploadRef): Seq {
  const seq = parseUploadId(id)
  if (seq === undefined) throw noSuchUpload()
  return seq
}

/** @throws StorageError `NoSuchBucket`, `NoSuchUpload`. */
export async function findUpload(engine: Engine, upload: UploadRef) {
  engine.assertOpen()
  const rows = committedRows(engine.ports.journal, engine.ports.hashing)
  const { bucket, key } = upload
  if ((await rows.get(bucketTable.key(bucket))) === undefined) throw noSuchBucket(bucket)
  const place = { bucket, key, upload: positionOf(upload) }
  const row = await rows.get(uploadTable.key(bucket, key, place.upload))
  if (row === undefined) throw noSuchUpload()
  return { row, place }
}

/** Parts carry the algorithm their upload was created with, whether the client sends a value or not. */
function defaultChecksum(row: UploadRow, options: UploadPartOptions): UploadPartOptions {
  const algorithm = row.checksumAlgorithm
  if (algorithm === undefined) return options
  if (options.checksum === undefined) return { ...options, checksum: { algorithm } }
  if (options.checksum.algorithm === algorithm) return options
  throw new StorageError(
    'InvalidRequest',
    `Checksum Type mismatch occurred, expected checksum Type: ${algorithm.toLowerCase()}, actual checksum Type: ${options.checksum.algorithm.toLowerCase()}`,
  )
}

const partInfo = ({ seq, at, data }: { seq: Seq; at: number; data: PartAdded }): PartInfo =>
  describePart({ seq, at, ...data })

/** What a completed upload became: asked for when the same completion comes again. */
async function completionOf({ ports: { journal, hashing } }: Engine, upload: Seq): Promise<RecordedEvent> {
  const completion = await committedRows(journal, hashing).get(completionTable.key(upload))
  if (completion === undefined) throw noSuchUpload()
  for await (const stored of journal.events({ from: completion.version, to: completion.version })) {
    return decodeEvent(hashing, stored).event
  }
  throw noSuchUpload()
}

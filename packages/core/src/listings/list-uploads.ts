import { noSuchBucket } from '../reads/conditions.ts'
import { StorageError } from '../base/errors.ts'
import { limits } from '../base/limits.ts'
import type { Hashing, RowReader } from '../ports/index.ts'
import { findSetting } from '../reads/find-setting.ts'
import type { KeyWalk, NamedBucket } from '../reads/read-snapshot.ts'
import { commonPrefix, rollUp, wantedRows } from '../reads/roll-up.ts'
import { type Walk, walkRows } from '../reads/row-walk.ts'
import type { SettingKind } from '../settings/setting.ts'
import { type Epochs, isOfBranch, loadEpochs } from '../views/epochs.ts'
import type { KeyedRow, Rows } from '../views/row-reader.ts'
import type { PartRow, UploadRow } from '../views/rows.ts'
import { type BucketPlace, bucketTable, partTable, uploadTable } from '../views/tables.ts'
import { later } from '../bytes/bytes.ts'
import { parseUploadId } from '../naming/version-id.ts'
import { partInfo, uploadInfo } from '../requests/upload-info.ts'
import { type ReadScope, withRows } from '../requests/read-scope.ts'
import { pageLimit } from '../reads/page-limit.ts'
import type {
  Page,
  PartInfo,
  PartPage,
  PartPageOptions,
  UploadPage,
  UploadPageOptions,
  UploadRef,
} from '../api/types/index.ts'
import { findUpload } from '../requests/find-upload.ts'

type KeyedUpload = { readonly key: string; readonly row: UploadRow }

/** @throws StorageError `NoSuchBucket`, `InvalidArgument` for a malformed upload id marker. */
export async function listUploads(scope: ReadScope, bucket: string, options: UploadPageOptions): Promise<UploadPage> {
  const { prefix = '', delimiter = '', keyMarker = '', signal } = options
  signal?.throwIfAborted()
  const limit = pageLimit(options.limit)
  const { hashing } = scope.requests.ports
  const ids = await scope.requests.uploadIds()
  const list = async (snapshot: RowReader, rows: Rows): Promise<UploadPage> => {
    const row = await rows.get(bucketTable.key(bucket))
    if (row === undefined) throw noSuchBucket(bucket)
    const place = { bucket, incarnation: row.incarnation }
    const epochs = await loadEpochs(rows)
    const walk = walkUploads(snapshot, hashing, place, { ...options, epochs, wanted: wantedRows({ delimiter, limit }) })
    try {
      const over = keyMarker === '' ? undefined : commonPrefix(keyMarker, { prefix, delimiter })
      if (over !== undefined) walk.skipPrefix(over)
      const { entries, next } = await rollUp(walk, { prefix, delimiter, limit }, (found) => ({
        kind: 'upload' as const,
        ...uploadInfo(ids, bucket, found.key, found.row),
      }))
      const end = entries.at(-1)
      const last = end && (end.kind === 'prefix' ? { key: end.prefix } : { key: end.key, uploadId: end.uploadId })
      return { entries, isTruncated: next !== undefined, ...(last && { last }) }
    } finally {
      await walk.close()
    }
  }
  return withRows(scope, list, { bucket })
}

/** @throws StorageError `NoSuchBucket`, `NoSuchUpload`. */
export async function listParts(scope: ReadScope, upload: UploadRef, options: PartPageOptions): Promise<PartPage> {
  options.signal?.throwIfAborted()
  const limit = pageLimit(options.limit)
  const { expirations, ports } = scope.requests
  const { hashing } = ports
  const ids = await scope.requests.uploadIds()
  const list = async (snapshot: RowReader, rows: Rows): Promise<PartPage> => {
    const { row, bucket, place } = await findUpload(rows, ids, upload)
    const next = Math.min(Math.max(options.after ?? 0, 0), limits.partNumberMax) + 1
    const gte = partTable.key(place.upload, next).bytes
    const walk = walkRows<PartRow>(
      snapshot,
      hashing,
      { ...partTable.ofUpload(place.upload), gte },
      { wanted: limit + 1 },
    )
    try {
      const { entries, isTruncated } = await takeParts(walk, limit)
      const last = entries.at(-1)?.partNumber ?? options.after ?? 0
      const found = uploadInfo(ids, place.bucket, place.key, row)
      const settings = { setting: <K extends SettingKind>(of: NamedBucket, kind: K) => findSetting(rows, of, kind) }
      const named = { name: place.bucket, row: bucket }
      const expiration = await expirations.findAbortion(settings, named, { key: place.key, at: row.at })
      return { entries, isTruncated, last, upload: expiration === undefined ? found : { ...found, expiration } }
    } finally {
      await walk.close()
    }
  }
  return withRows(scope, list, upload)
}

async function takeParts(walk: Walk<KeyedRow<PartRow>>, limit: number): Promise<Page<PartInfo>> {
  const entries: PartInfo[] = []
  for (let found = await walk.next(); ; found = await walk.next()) {
    if (found === undefined || entries.length === limit) {
      return { entries, isTruncated: found !== undefined && limit > 0 }
    }
    entries.push(partInfo({ ...found.row, partNumber: partTable.number(found.key) }))
  }
}

interface WalkOptions extends UploadPageOptions {
  readonly epochs: Epochs
  readonly wanted: number | undefined
}

function walkUploads(
  reader: RowReader,
  hashing: Hashing,
  place: BucketPlace,
  { prefix = '', keyMarker = '', wanted, ...options }: WalkOptions,
): KeyWalk<KeyedUpload> {
  const range = uploadTable.range(place, prefix)
  // Parse the markers before the walk: an error must not leave a cursor open.
  const start = keyMarker === '' ? undefined : later(range.gte, startAfter(place, keyMarker, options))
  const walk = walkRows(reader, hashing, range, {
    wanted,
    make: (key, row: UploadRow) => ({ key: uploadTable.objectKey(key), row }),
  })
  if (start !== undefined) walk.skipTo(start)
  return {
    next: walk.next,
    skipPrefix: (rolledUp) => walk.skipTo(uploadTable.afterPrefix(place, rolledUp)),
    close: () => walk.close(),
  }
}

function startAfter(
  bucket: BucketPlace,
  keyMarker: string,
  { uploadIdMarker = '', epochs }: Pick<WalkOptions, 'uploadIdMarker' | 'epochs'>,
): Uint8Array {
  if (uploadIdMarker === '') return uploadTable.after(bucket, keyMarker)
  // Only a place in the order. Its MAC is not checked, so a listing can continue after the secret was lost.
  const upload = parseUploadId(uploadIdMarker)
  if (upload === undefined) {
    throw new StorageError('InvalidArgument', 'Invalid uploadId marker', {
      details: { ArgumentName: 'upload-id-marker', ArgumentValue: uploadIdMarker },
    })
  }
  // An upload of another branch of the log has no place in this one: list its whole key again, so that none is missed.
  return uploadTable.from(bucket, keyMarker, isOfBranch(epochs, upload) ? upload.seq + 1 : 0)
}

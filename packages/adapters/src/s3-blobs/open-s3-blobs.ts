/** Opens the blobs of a store below a prefix of a bucket, in any S3-compatible store. */
import { type BlobStore, type ReplicaFiles, schema as checks, StorageError } from '@varve/core'
import { openWrites } from '../blobs/open-writes.ts'
import type { WitnessedBlobs } from '../shared-witness/shared-witness.ts'
import { blobKeys } from './blob-keys.ts'
import { deleteBlobs } from './delete-objects.ts'
import { listBlobs } from './list-objects.ts'
import { OpenBlobs } from './open-blobs.ts'
import { OpenHandles } from './open-handles.ts'
import { type S3BlobsOptions, s3BlobsOptions, withDefaults } from './s3-blobs-options.ts'
import { s3Failure } from './s3-failure.ts'
import { S3Place } from './s3-place.ts'
import { S3Requests } from './s3-requests.ts'
import { createRegionalClient, loadSdk, renewCredentials } from './s3-sdk.ts'
import { type Mark, openMarker } from './store-marker.ts'
import { s3ReplicaFiles } from './s3-replica-files.ts'
import { s3Witness } from './s3-witness.ts'
import { setObjectsAside } from './set-aside.ts'
import { s3Turns } from './s3-turns.ts'
import { removeUnfinished } from './unfinished-uploads.ts'
import { type ObjectWriter, writeObject } from './write-object.ts'

/** Blobs, and the witness of the log that names them. */
export type S3Blobs = BlobStore & WitnessedBlobs

/**
 * The caller closes the blobs after the stores that use them.
 * @throws StorageError `InvalidArgument`; `StoreNotFound`: there is no such bucket (`details.kind` is `NoSuchBucket`), the
 * prefix has other objects (`foreign`), belongs to another store (`otherStore`), or is empty and `create` is false (`empty`);
 * `UnsupportedFormat`: a newer release made the blobs (`details.kind` is `newer`), or `@aws-sdk/client-s3` is not installed
 * (`package`); `NoSpace`; `BlobFailed`: `details.kind` is the code of S3 or of the system
 */
export async function openS3Blobs(given: S3BlobsOptions): Promise<S3Blobs> {
  const { place, options } = await openPlace(given, 'varve blobs')
  return blobsAt(place, options)
}

/** Blobs, and the files beside them. */
export interface S3Replica {
  readonly blobs: BlobStore
  readonly files: ReplicaFiles
}

/**
 * Opens a replica below a prefix of a bucket. Closing its blobs closes its files.
 * @throws as `openS3Blobs`
 */
export async function openS3Replica(given: S3BlobsOptions): Promise<S3Replica> {
  const { place, options } = await openPlace(given, 'varve replica')
  const ending = new AbortController()
  const closed = new StorageError('StoreClosed', 'The replica is closed.')
  const writes = openWrites()
  const blobs = blobsAt(place, options, writes)
  const close = (): Promise<void> => {
    ending.abort(closed)
    return blobs.close()
  }
  const files = s3ReplicaFiles(place, { writer: writerAt(place, options), writes, signal: ending.signal })
  return { blobs: { ...blobs, close }, files }
}

async function openPlace(given: S3BlobsOptions, mark: Mark) {
  const options = withDefaults(checks.checked('options', s3BlobsOptions, given))
  const keys = blobKeys(options.prefix)
  const sdk = await loadSdk()
  try {
    const client = await createRegionalClient(sdk, options)
    const requests = new S3Requests({ ...options, renew: () => renewCredentials(client) })
    const place = new S3Place({ sdk, client, requests, bucket: options.bucket, keys })
    try {
      await openMarker(place, { ...options, mark })
    } catch (error) {
      client.destroy()
      throw error
    }
    return { place, options }
  } catch (error) {
    throw s3Failure(error, 'Opening the bucket')
  }
}

interface Limits {
  readonly partBytes: number
  readonly partsAtOnce: number
  /** Bytes of buffers of all writes that are longer than a MiB. */
  readonly bufferBytes: number
  readonly hedgeMs?: number
  readonly readAheadBytes: number
  /** The age from which an unfinished upload belongs to no process. */
  readonly unfinishedMs: number
}

function writerAt(place: S3Place, { partBytes, partsAtOnce, bufferBytes, unfinishedMs }: Limits): ObjectWriter {
  const places = s3Turns(Math.max(1, Math.floor(bufferBytes / partBytes)), place.requests.longestMs, 'buffers')
  return { place, partBytes, partsAtOnce, places, longestMs: unfinishedMs / 2 }
}

/** An object is never changed, and complete before its key exists. */
function blobsAt(place: S3Place, limits: Limits, writes = openWrites()): S3Blobs {
  const { partBytes, partsAtOnce, hedgeMs, readAheadBytes, unfinishedMs } = limits
  const handles = new OpenHandles((ids) => deleteBlobs(place, ids))
  const blobs = new OpenBlobs(place, { handles, partBytes, partsAtOnce, hedgeMs, readAheadBytes })
  const writer = writerAt(place, limits)

  async function closeAll(): Promise<void> {
    await writes.close()
    blobs.close()
    try {
      await handles.close()
    } finally {
      place.client.destroy()
    }
  }

  let closed: Promise<void> | undefined
  return {
    async write(id, source, signal) {
      const key = place.keys.keyOf(id)
      return writes.run(signal, (cancel) => writeObject(writer, { key, isContended: false }, source, cancel))
    },
    async replace(id, source, signal) {
      const key = place.keys.keyOf(id)
      return writes.run(signal, async (cancel) => {
        // An object cannot be replaced at once, so the source shows first that it is whole.
        for await (const _ of source()) cancel.throwIfCancelled()
        await setObjectsAside(place, [id])
        return writeObject(writer, { key, isContended: true }, source(), cancel)
      })
    },
    async open(id) {
      writes.assertOpen()
      return blobs.open(id)
    },
    async delete(ids) {
      writes.assertOpen()
      for (const id of ids) place.keys.keyOf(id)
      await handles.delete(ids)
    },
    async *list() {
      writes.assertOpen()
      for await (const id of listBlobs(place)) {
        writes.assertOpen()
        if (!handles.isHidden(id)) yield id
      }
    },
    async discardUnfinished() {
      writes.assertOpen()
      return removeUnfinished(place, unfinishedMs)
    },
    close: () => (closed ??= closeAll()),
    witness: s3Witness(place),
    async setAside(ids) {
      writes.assertOpen()
      await setObjectsAside(place, ids)
    },
  }
}

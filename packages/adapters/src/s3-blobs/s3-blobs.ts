/** Blobs as objects of an S3-compatible store. An object is never changed, and complete before its key exists. */
import type { BlobStore } from '@varve/core'
import { openWrites } from '../blobs/open-writes.ts'
import { deleteBlobs } from './delete-objects.ts'
import { listBlobs } from './list-objects.ts'
import { OpenBlobs } from './open-blobs.ts'
import { OpenHandles } from './open-handles.ts'
import type { S3Place } from './s3-place.ts'
import { Turns } from './turns.ts'
import { removeUnfinished } from './unfinished-uploads.ts'
import { writeObject } from './write-object.ts'

export interface S3BlobsLimits {
  readonly partBytes: number
  readonly partsAtOnce: number
  /** Bytes of buffers of all writes that are longer than a MiB. */
  readonly bufferBytes: number
  readonly hedgeMs?: number
  /** The age from which an unfinished upload belongs to no process. */
  readonly unfinishedMs: number
}

export function s3Blobs(place: S3Place, limits: S3BlobsLimits): BlobStore {
  const { partBytes, partsAtOnce, bufferBytes, hedgeMs, unfinishedMs } = limits
  const writes = openWrites()
  const handles = new OpenHandles((ids) => deleteBlobs(place, ids))
  const blobs = new OpenBlobs(place, { handles, partBytes, partsAtOnce, hedgeMs })
  const places = new Turns(Math.max(1, Math.floor(bufferBytes / partBytes)), place.requests.longestMs, 'buffers')
  const writer = { place, partBytes, partsAtOnce, places, longestMs: unfinishedMs / 2 }

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
      place.keys.keyOf(id)
      return writes.run(signal, (cancel) => writeObject(writer, id, source, cancel))
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
  }
}

/** Moves blobs to keys where nothing looks for them. An object is copied by the server, and deleted after that. */
import type { BlobId } from '@varve/core'
import { inTurns } from '../files/in-turns.ts'
import { deleteBlobs } from './delete-objects.ts'
import { kindOf } from './s3-failure.ts'
import type { S3Place } from './s3-place.ts'

const copiesAtOnce = 4

/** Each blob is in one of both places at any time. @throws StorageError `BlobFailed` */
export async function setObjectsAside(place: S3Place, ids: readonly BlobId[]): Promise<void> {
  await inTurns(ids, (id) => setAside(place, id), copiesAtOnce)
}

async function setAside(place: S3Place, id: BlobId): Promise<void> {
  const { bucket, client, keys, requests, sdk } = place
  const source = [bucket, ...keys.keyOf(id).split('/')].map(encodeURIComponent).join('/')
  try {
    await requests.run('Setting a blob aside', (abortSignal) => {
      const about = { ...place.at(`${keys.prefix}quarantine/${id}`), CopySource: source }
      return place.within(abortSignal, client.send(new sdk.CopyObjectCommand(about), { abortSignal }))
    })
  } catch (error) {
    // An earlier run that was interrupted has moved it.
    if (kindOf(error) !== 'NoSuchKey') throw error
    return
  }
  await deleteBlobs(place, [id])
}

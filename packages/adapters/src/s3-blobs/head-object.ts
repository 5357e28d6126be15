/** What the server knows of a blob without its bytes. */
import { type BlobId, StorageError } from '@varve/core'
import { kindOf } from './s3-failure.ts'
import type { S3Place } from './s3-place.ts'

export interface ObjectFacts {
  readonly size: number
  /** Changes with the object. */
  readonly etag: string | undefined
  /** Names the write that made the object. */
  readonly write: string | undefined
}

/** The name, in the metadata of an object, of the write that made it. */
export const writeField = 'varve-write'

/** A blob can be written, and credentials renewed, between two requests. */
const looksMax = 3

/** `undefined` if there is no such object. @throws StorageError `BlobFailed` */
export async function headObject(place: S3Place, key: string, signal?: AbortSignal): Promise<ObjectFacts | undefined> {
  for (let look = 1; ; look++) {
    try {
      return await headOnce(place, key, signal)
    } catch (error) {
      if (!isUnexplained(error) || look === looksMax) throw error
      if (await isKeyMissing(place, key, signal)) return undefined
    }
  }
}

/**
 * The answer to HEAD has no document, so it does not tell a missing key from a missing bucket, nor expired credentials from
 * missing rights.
 */
const isUnexplained = (error: unknown): boolean => /^(NotFound|status4\d\d)$/.test(kindOf(error))

async function headOnce(place: S3Place, key: string, signal: AbortSignal | undefined): Promise<ObjectFacts> {
  const { client, requests, sdk } = place
  const head = (abortSignal: AbortSignal) =>
    place.within(abortSignal, client.send(new sdk.HeadObjectCommand(place.at(key)), { abortSignal }))
  const answer = await requests.run('Looking for a blob', head, { signal })
  return { size: answer.ContentLength ?? 0, etag: answer.ETag, write: answer.Metadata?.[writeField] }
}

/** @throws StorageError `BlobFailed`: why the server refuses the request */
async function isKeyMissing(place: S3Place, key: string, signal: AbortSignal | undefined): Promise<boolean> {
  const { client, requests, sdk } = place
  try {
    await requests.run(
      'Looking for a blob',
      async (abortSignal) => {
        const command = new sdk.GetObjectCommand({ ...place.at(key), Range: 'bytes=0-0' })
        const { Body } = await place.within(abortSignal, client.send(command, { abortSignal }))
        ;(Body as { destroy?(): void } | undefined)?.destroy?.()
      },
      { signal },
    )
    return false
  } catch (error) {
    if (kindOf(error) === 'NoSuchKey') return true
    throw error
  }
}

export const blobMissing = (id: BlobId): StorageError =>
  new StorageError('BlobMissing', 'There is no such blob.', { details: { blob: id } })

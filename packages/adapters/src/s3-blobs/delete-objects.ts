/** Deletes blobs in batches. Blobs that are not there are no error. */
import { createHash } from 'node:crypto'
import type { BlobId } from '@varve/core'
import { inTurns } from '../files/in-turns.ts'
import { WrongAnswer } from './s3-failure.ts'
import type { S3Place } from './s3-place.ts'
import { withHeaders } from './s3-sdk.ts'

/** The most keys of a request, a limit of S3. */
const batchMax = 1000
const batchesAtOnce = 2

const missing = new Set(['NoSuchKey', 'NoSuchVersion'])

/** Tries to delete every blob, then throws the first failure. @throws StorageError `BlobFailed` */
export const deleteBlobs = (place: S3Place, ids: readonly BlobId[]): Promise<void> =>
  deleteObjects(place, [...new Set(ids)].map(place.keys.keyOf))

/** As `deleteBlobs`, for other objects. */
export async function deleteObjects(place: S3Place, keys: readonly string[]): Promise<void> {
  const batches = Array.from({ length: Math.ceil(keys.length / batchMax) }, (_, i) =>
    keys.slice(i * batchMax, (i + 1) * batchMax),
  )
  const failures: unknown[] = []
  const remove = (batch: readonly string[]) => deleteBatch(place, batch).catch((error) => void failures.push(error))
  await inTurns(batches, remove, batchesAtOnce)
  if (failures.length > 0) throw failures[0]
}

/** Servers before the newer checksums require this one. */
const md5Of = (body: Uint8Array | string) => ({ 'content-md5': createHash('md5').update(body).digest('base64') })

async function deleteBatch(place: S3Place, keys: readonly string[]): Promise<void> {
  const { bucket, client, requests, sdk } = place
  let left = keys
  await requests.run('Deleting blobs', async (abortSignal) => {
    const Delete = { Objects: left.map((Key) => ({ Key })) }
    const command = withHeaders(new sdk.DeleteObjectsCommand({ Bucket: bucket, Delete }), md5Of)
    const { Deleted = [], Errors = [] } = await place.within(abortSignal, client.send(command, { abortSignal }))
    const failed = Errors.filter(({ Code = '' }) => !missing.has(Code))
    const gone = new Set([...Deleted, ...Errors.filter(({ Code = '' }) => missing.has(Code))].map(({ Key }) => Key))
    for (const { Key } of failed) gone.delete(Key)
    // Only what the answer names is gone. An error that names no key of the request may concern any of them.
    if (failed.every(({ Key }) => Key !== undefined && left.includes(Key))) left = left.filter((key) => !gone.has(key))
    if (left.length === 0) return
    const { Code = 'WrongAnswer', Message = '' } = failed[0] ?? {}
    throw new WrongAnswer(Code, `${left.length} of ${keys.length} blobs were not deleted. ${Message}`)
  })
}

/** Removes multipart uploads that no process continues. Younger ones may belong to a process that is still writing. */
import { inTurns } from '../files/in-turns.ts'
import { kindOf, WrongAnswer } from './s3-failure.ts'
import type { S3Place } from './s3-place.ts'

interface Unfinished {
  readonly Key: string
  readonly UploadId: string
}

interface Marker {
  readonly KeyMarker?: string | undefined
  readonly UploadIdMarker?: string | undefined
}

const abortsAtOnce = 8

/** Resolves with the number of uploads that were removed. @throws StorageError `BlobFailed` */
export async function removeUnfinished(place: S3Place, olderThanMs: number): Promise<number> {
  let [removed, from]: [number, Marker | undefined] = [0, {}]
  while (from !== undefined) {
    const page: { readonly old: readonly Unfinished[]; readonly next: Marker | undefined } = await pageOf(
      place,
      from,
      olderThanMs,
    )
    await inTurns(page.old, (upload) => abort(place, upload), abortsAtOnce)
    removed += page.old.length
    from = page.next
  }
  return removed
}

function pageOf(place: S3Place, from: Marker, olderThanMs: number) {
  const { bucket, client, keys, requests, sdk } = place
  return requests.run('Looking for unfinished blobs', async (abortSignal) => {
    const command = new sdk.ListMultipartUploadsCommand({ Bucket: bucket, Prefix: keys.blobs, ...from })
    const answer = await place.within(abortSignal, client.send(command, { abortSignal }))
    // The SDK corrects the clock of this machine by the answers of the server.
    const before = Date.now() + client.config.systemClockOffset - olderThanMs
    const old = (answer.Uploads ?? []).flatMap(({ Key, UploadId, Initiated }) =>
      Key !== undefined && UploadId !== undefined && keys.idOf(Key) && Number(Initiated ?? Infinity) < before
        ? [{ Key, UploadId }]
        : [],
    )
    const { NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = answer
    const isStuck = KeyMarker === from.KeyMarker && UploadIdMarker === from.UploadIdMarker
    if (answer.IsTruncated === true && isStuck) {
      throw new WrongAnswer('WrongAnswer', 'A listing does not tell where it goes on.')
    }
    return { old, next: answer.IsTruncated === true ? { KeyMarker, UploadIdMarker } : undefined }
  })
}

async function abort(place: S3Place, { Key, UploadId }: Unfinished): Promise<void> {
  const { client, requests, sdk } = place
  try {
    await requests.run('Removing an unfinished blob', (abortSignal) => {
      const command = new sdk.AbortMultipartUploadCommand({ ...place.at(Key), UploadId })
      return place.within(abortSignal, client.send(command, { abortSignal }))
    })
  } catch (error) {
    if (kindOf(error) !== 'NoSuchUpload') throw error
  }
}

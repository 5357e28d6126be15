/** Lists the blobs of a prefix, page by page. Objects with other keys are not listed. */
import type { BlobId } from '@varve/core'
import { WrongAnswer } from './s3-failure.ts'
import type { S3Place } from './s3-place.ts'

export interface KeyPage {
  readonly objects: readonly { readonly key: string | undefined; readonly size: number }[]
  /** Where the next page begins; `undefined` for the last one. */
  readonly next: string | undefined
}

/** @throws StorageError `BlobFailed` */
export async function* listBlobs(place: S3Place): AsyncGenerator<BlobId> {
  let token: string | undefined
  do {
    const { objects, next } = await listPage(place, place.keys.blobs, { token })
    for (const { key } of objects) {
      const id = place.keys.idOf(key)
      if (id !== undefined) yield id
    }
    token = next
  } while (token !== undefined)
}

export function listPage(
  place: S3Place,
  prefix: string,
  { token, limit }: { readonly token?: string | undefined; readonly limit?: number },
): Promise<KeyPage> {
  const { bucket, client, requests, sdk } = place
  return requests.run('Listing blobs', async (abortSignal) => {
    const command = new sdk.ListObjectsV2Command({
      Bucket: bucket,
      Prefix: prefix,
      ...(token !== undefined && { ContinuationToken: token }),
      ...(limit !== undefined && { MaxKeys: limit }),
    })
    const answer = await place.within(abortSignal, client.send(command, { abortSignal }))
    const next = answer.IsTruncated === true ? answer.NextContinuationToken : undefined
    // A listing that ends too early, or never, is worse than an error: what it does not name counts as missing.
    if (answer.IsTruncated === true && (next === undefined || next === token)) {
      throw new WrongAnswer('WrongAnswer', 'A listing does not tell where it goes on.')
    }
    const objects = (answer.Contents ?? []).map(({ Key, Size = 0 }) => ({ key: Key, size: Size }))
    return { objects, next }
  })
}

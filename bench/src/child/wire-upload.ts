/** Multipart uploads over HTTP. */
import type { Bodies } from '../workloads/bodies.ts'
import { expectStatus, type S3Client } from '../http/s3-client.ts'
import { bucket } from '../targets/store-target.ts'
import type { WireWorkload } from '../workloads/workload.ts'

export interface StartedUpload {
  readonly key: string
  readonly uploadId: string
  /** In the order of the parts. */
  readonly etags: readonly string[]
}

/** Begins an upload and sends its parts, one after another. */
export async function uploadParts(
  client: S3Client,
  key: string,
  { items, bytes }: Pick<WireWorkload, 'items' | 'bytes'>,
  bodies: Bodies,
): Promise<StartedUpload> {
  const path = `/${bucket}/${key}`
  const begun = expectStatus(await client.ask({ method: 'POST', path, query: 'uploads=', body: Buffer.alloc(0) }), 200)
  const uploadId = /<UploadId>([^<]+)<\/UploadId>/.exec(begun.body.toString())?.[1]
  if (uploadId === undefined) throw new Error('The server began an upload and did not say which.')
  const etags: string[] = []
  for (let number = 1; number <= items; number++) {
    const query = `partNumber=${number}&uploadId=${encodeURIComponent(uploadId)}`
    const body = bodies.of(number, 0).subarray(0, bytes)
    const { headers } = expectStatus(await client.ask({ method: 'PUT', path, query, body }), 200)
    etags.push(headers.get('etag') ?? '')
  }
  return { key, uploadId, etags }
}

/** @throws Error also when the response has status 200 and an error in its body, as S3 may send it */
export async function completeUpload(client: S3Client, { key, uploadId, etags }: StartedUpload): Promise<void> {
  const parts = etags.map((etag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${etag}</ETag></Part>`)
  const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`)
  const query = `uploadId=${encodeURIComponent(uploadId)}`
  const answer = expectStatus(await client.ask({ method: 'POST', path: `/${bucket}/${key}`, query, body }), 200)
  if (!answer.body.includes('<CompleteMultipartUploadResult')) {
    throw new Error(`The server did not complete the upload: ${answer.body.toString('utf8', 0, 300)}`)
  }
}

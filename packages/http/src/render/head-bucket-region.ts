import { isPresent } from '../access/judged-buckets.ts'
import type { Answer } from '../contract/answer.ts'
import type { WireRequest } from '../contract/wire-request.ts'
import type { Service } from '../pipeline/service-options.ts'

/** The statuses of refusals by which clients learn where to send their requests. */
const telling: ReadonlySet<number> = new Set([301, 400, 403])

/**
 * A refusal of HeadBucket names the region of the bucket, if there is one: a client that signs for another region learns the right
 * one from it.
 */
export function withRegionOfBucket(service: Service, request: WireRequest, refusal: Answer): Answer | Promise<Answer> {
  const { method, trace } = request
  const { bucket, key } = trace
  if (method !== 'HEAD' || bucket === undefined || key !== undefined || !telling.has(refusal.status)) return refusal
  return named(service, bucket, refusal)
}

async function named({ access, store, options }: Service, bucket: string, refusal: Answer): Promise<Answer> {
  // The refusal is the answer, also where the store fails.
  const found = await access.buckets.find(store, bucket).catch(() => undefined)
  if (found === undefined || !isPresent(found)) return refusal
  const { region = options.region } = found.bucket.access
  return { ...refusal, headers: { ...refusal.headers, 'x-amz-bucket-region': region } }
}

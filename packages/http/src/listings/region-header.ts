import type { AnswerHeaders } from '../contract/answer.ts'
import type { BucketContext } from '../contract/operation.ts'

/** Clients that were given no region learn it from listings too. */
export async function regionHeader({ bucket, store, client: { signal } }: BucketContext): Promise<AnswerHeaders> {
  const { region } = await store.buckets.head(bucket, { signal })
  return { 'x-amz-bucket-region': region }
}

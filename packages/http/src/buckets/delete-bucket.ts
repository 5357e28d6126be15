import { emptyAnswer } from '../contract/answer.ts'
import type { BucketOperation } from '../contract/operation.ts'

export const deleteBucket: BucketOperation = async ({ bucket, store, client: { signal } }) => {
  await store.buckets.delete(bucket, { signal })
  return emptyAnswer(204)
}

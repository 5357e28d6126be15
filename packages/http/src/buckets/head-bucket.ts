import { emptyAnswer } from '../contract/answer.ts'
import { bucketArn } from './bucket-arn.ts'
import type { BucketOperation } from '../contract/operation.ts'

export const headBucket: BucketOperation = async ({ bucket, store, client: { signal } }) => {
  const { region } = await store.buckets.head(bucket, { signal })
  return emptyAnswer(200, {
    'content-type': 'application/xml',
    'x-amz-access-point-alias': 'false',
    'x-amz-bucket-arn': bucketArn(bucket),
    'x-amz-bucket-region': region,
  })
}

import { emptyAnswer } from '../contract/answer.ts'
import { bucketArn } from './bucket-arn.ts'
import { tigrisFacts } from './tigris-facts.ts'
import type { BucketOperation } from '../contract/operation.ts'

export const headBucket: BucketOperation = async (context) => {
  const {
    bucket,
    store,
    client: { signal },
  } = context
  const info = await store.buckets.head(bucket, { signal })
  return emptyAnswer(200, {
    'content-type': 'application/xml',
    'x-amz-access-point-alias': 'false',
    'x-amz-bucket-arn': bucketArn(bucket),
    'x-amz-bucket-region': info.region,
    ...(await tigrisFacts(context, info)),
  })
}

import { xmlAnswer } from '../contract/answer.ts'
import type { BucketOperation } from '../contract/operation.ts'

export const getBucketLocation: BucketOperation = async ({ bucket, store, dialect, options, client: { signal } }) => {
  const region = await store.buckets.getLocation(bucket, { signal })
  return xmlAnswer('LocationConstraint', options.namespace, region === dialect.unnamedRegion ? '' : region)
}

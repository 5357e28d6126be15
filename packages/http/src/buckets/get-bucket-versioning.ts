import { optionalElement } from '../xml/write.ts'
import { xmlAnswer } from '../contract/answer.ts'
import type { BucketOperation } from '../contract/operation.ts'

export const getBucketVersioning: BucketOperation = async ({ bucket, store, options, client: { signal } }) => {
  const status = await store.buckets.getVersioning(bucket, { signal })
  return xmlAnswer('VersioningConfiguration', options.namespace, [optionalElement('Status', status)])
}

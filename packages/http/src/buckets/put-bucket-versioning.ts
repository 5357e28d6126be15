import { S3Error } from '../errors/errors.ts'
import { readVersioningConfiguration } from './versioning-configuration.ts'
import { emptyAnswer } from '../contract/answer.ts'
import type { BucketOperation } from '../contract/operation.ts'

const bytesMax = 64 * 1024

export const putBucketVersioning: BucketOperation = async ({ bucket, body, store, client: { signal } }) => {
  const bytes = await body.small(bytesMax)
  if (bytes.length === 0) throw new S3Error('MissingRequestBodyError', 'Request Body is empty')
  const { status, mfaDelete } = readVersioningConfiguration(bytes)
  if (mfaDelete === 'Enabled') throw new S3Error('NotImplemented', 'MfaDelete is not implemented.')
  if (status === undefined) {
    throw new S3Error('IllegalVersioningConfigurationException', 'The Versioning element must be specified')
  }
  await store.buckets.setVersioning(bucket, status, { signal })
  return emptyAnswer()
}

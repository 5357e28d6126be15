/** A bucket for the tests: of a server of Varve in this process, or of the one that the environment names. */
import type { S3BlobsOptions } from '@varve/adapters/s3'
import { startS3, type TestS3 } from 'varve/testing'

export type Server = Pick<S3BlobsOptions, 'endpoint' | 'region' | 'credentials' | 'bucket'>

/** `VARVE_S3_BLOBS_ENDPOINT`, `…_BUCKET`, `…_ACCESS_KEY` and `…_SECRET_KEY` name a server of another kind. */
export function otherServer(): Server | undefined {
  const given = (name: string): string => process.env[`VARVE_S3_BLOBS_${name}`] ?? ''
  if (given('ENDPOINT') === '') return undefined
  const credentials = { accessKeyId: given('ACCESS_KEY'), secretAccessKey: given('SECRET_KEY') }
  return { endpoint: given('ENDPOINT'), region: 'us-east-1', bucket: given('BUCKET'), credentials }
}

export const serverOf = (s3: TestS3): Server => ({
  endpoint: s3.url,
  region: s3.region,
  credentials: s3.credentials,
  bucket: 'blobs',
})

export const startServer = (): Promise<TestS3> => startS3({ buckets: ['blobs'] })

let prefixes = 0
/** A prefix that no other test has. */
export const freshPrefix = (): string => `tests/${process.pid}-${Date.now()}-${++prefixes}/`

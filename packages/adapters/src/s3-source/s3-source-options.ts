/** The options of a bucket that is read, checked before anything is sent. */
import { schema as checks } from '@varve/core'
import type { S3BlobsCredentials } from '../s3-blobs/s3-blobs-options.ts'

/** A bucket of a server of S3, and how it is reached. */
export interface S3SourceOptions {
  readonly bucket: string
  /** The address of the server: `https://host:port`. @default AWS */
  readonly endpoint?: string
  /** @default the one of the surroundings, as the AWS SDK finds it */
  readonly region?: string
  /** The bucket is in the path of the address, not in its host name. @default true if there is an `endpoint` */
  readonly forcePathStyle?: boolean
  /** @default those of the surroundings, as the AWS SDK finds them */
  readonly credentials?: Pick<S3BlobsCredentials, 'accessKeyId' | 'secretAccessKey' | 'sessionToken'>
  /** The most requests at once. @default 16 */
  readonly connections?: number
  /** How long one request may take, in milliseconds. @default 30000 */
  readonly timeoutMs?: number
  /** How often a request that failed is repeated at most. @default 4 */
  readonly retries?: number
}

const name = checks.text({ min: 1 })

/** The schema of `S3SourceOptions`. */
export const s3SourceOptions = checks.object<S3SourceOptions>({
  bucket: name,
  endpoint: checks.optional(name),
  region: checks.optional(name),
  forcePathStyle: checks.optional(checks.boolean),
  credentials: checks.optional(
    checks.object<NonNullable<S3SourceOptions['credentials']>>({
      accessKeyId: name,
      secretAccessKey: name,
      sessionToken: checks.optional(name),
    }),
  ),
  connections: checks.optional(checks.integer({ min: 1, max: 1000 })),
  timeoutMs: checks.optional(checks.integer({ min: 1, max: 2 ** 31 - 1 })),
  retries: checks.optional(checks.integer({ min: 0, max: 100 })),
})

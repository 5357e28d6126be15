/** The options of the blob store, checked before anything is sent. */
import { schema as checks } from '@varve/core'

/** What requests are signed with. */
export interface S3BlobsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
  /** When to request new ones, of a function that returns them. */
  readonly expiration?: Date
}

/** Where the bucket is, and how the blob store uses it. */
export interface S3BlobsOptions {
  /** It must exist. */
  readonly bucket: string
  /** What the keys of all blobs begin with. Nothing else may be below it. @default varve/ */
  readonly prefix?: string
  /** @default the one of the surroundings, as the AWS SDK finds it */
  readonly region?: string
  /** The address of the server: `https://host:port`. @default AWS */
  readonly endpoint?: string
  /** The bucket is in the path of the address, not in its host name. @default true if there is an `endpoint` */
  readonly forcePathStyle?: boolean
  /** A function is called again before its credentials expire. @default those of the surroundings, as the AWS SDK finds them */
  readonly credentials?: S3BlobsCredentials | (() => Promise<S3BlobsCredentials>)
  /** Begin a store if the prefix is empty. @default true */
  readonly create?: boolean
  /** The name of the store, written when it begins. Blobs of another name are refused. @default not checked */
  readonly store?: string
  /** Longer blobs are sent, and longer ranges are read, in parts of so many bytes. @default 8 MiB */
  readonly partBytes?: number
  /** The most parts of one blob that are sent or read at once. @default 4 */
  readonly partsAtOnce?: number
  /** The most bytes in buffers of all writes beyond their first MiB. @default 256 MiB */
  readonly bufferBytes?: number
  /** The most bytes that are fetched ahead for all readers that read one range after another. 0: none. @default 128 MiB */
  readonly readAheadBytes?: number
  /** The most requests at once. @default 64 */
  readonly connections?: number
  /** How long one request may take, in milliseconds. @default 30000 */
  readonly timeoutMs?: number
  /** How often a request that failed is repeated at most. @default 4 */
  readonly retries?: number
  /** Sends a second request for bytes that did not come in this time, in milliseconds. @default never */
  readonly hedgeMs?: number
  /** The age from which an unfinished upload belongs to no process, in milliseconds. A write may take half of it. @default a day */
  readonly unfinishedMs?: number
}

const mebibyte = 1024 * 1024
const dayMs = 86_400_000
const timerMaxMs = 2 ** 31 - 1
const atLeastOne = checks.integer({ min: 1 })
const milliseconds = checks.integer({ min: 1, max: timerMaxMs })

const fixedCredentials = checks.object<S3BlobsCredentials>({
  accessKeyId: checks.text({ min: 1 }),
  secretAccessKey: checks.text({ min: 1 }),
  sessionToken: checks.optional(checks.text({ min: 1 })),
  expiration: checks.optional(checks.date),
})

export const s3BlobsOptions = checks.object<S3BlobsOptions>({
  bucket: checks.text({ min: 1 }),
  prefix: checks.optional(checks.text({ max: 512 })),
  region: checks.optional(checks.text({ min: 1 })),
  endpoint: checks.optional(checks.text({ min: 1 })),
  forcePathStyle: checks.optional(checks.boolean),
  credentials: checks.optional(
    checks.either<NonNullable<S3BlobsOptions['credentials']>>(
      'credentials, or a function',
      checks.callable<() => Promise<S3BlobsCredentials>>(),
      fixedCredentials,
    ),
  ),
  create: checks.optional(checks.boolean),
  store: checks.optional(checks.text({ min: 1, max: 512 })),
  // The least size of a part, a limit of S3, and a size that fits into memory.
  partBytes: checks.optional(checks.integer({ min: 5 * mebibyte, max: 512 * mebibyte })),
  partsAtOnce: checks.optional(atLeastOne),
  bufferBytes: checks.optional(atLeastOne),
  readAheadBytes: checks.optional(checks.integer({ min: 0 })),
  connections: checks.optional(atLeastOne),
  timeoutMs: checks.optional(milliseconds),
  retries: checks.optional(checks.integer({ min: 0 })),
  hedgeMs: checks.optional(milliseconds),
  unfinishedMs: checks.optional(checks.integer({ min: 60_000 })),
})

/** The options that have a default, with it. */
export const withDefaults = (given: S3BlobsOptions) => ({
  ...given,
  prefix: given.prefix ?? 'varve/',
  forcePathStyle: given.forcePathStyle ?? given.endpoint !== undefined,
  create: given.create ?? true,
  partBytes: given.partBytes ?? 8 * mebibyte,
  partsAtOnce: given.partsAtOnce ?? 4,
  bufferBytes: given.bufferBytes ?? 256 * mebibyte,
  readAheadBytes: given.readAheadBytes ?? 128 * mebibyte,
  connections: given.connections ?? 64,
  timeoutMs: given.timeoutMs ?? 30_000,
  retries: given.retries ?? 4,
  unfinishedMs: given.unfinishedMs ?? dayMs,
})

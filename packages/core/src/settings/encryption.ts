/** How bytes are encrypted at rest, in S3's terms. */
export type EncryptionMode = 'AES256' | 'aws:kms' | 'aws:kms:dsse' | 'SSE-C'

/** The encryption of an object as results show it. It never contains keys. */
export interface ObjectEncryption {
  readonly mode: EncryptionMode
  /** The name of the key, in the `aws:kms` modes. */
  readonly keyName?: string
  /** For `SSE-C`: distinguishes the client's key from any other, and reveals nothing about it. */
  readonly proof?: string
  readonly bucketKey?: boolean
  /** Always absent. A request may contain a key; this field keeps the types of requests and results apart. */
  readonly key?: never
}

/** The default encryption of a bucket, for new objects that request none. */
export interface BucketEncryption {
  readonly mode: Exclude<EncryptionMode, 'SSE-C'>
  readonly keyName?: string
  readonly bucketKey?: boolean
}

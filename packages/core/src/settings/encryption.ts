/** How bytes are encrypted at rest, as S3 names it. */
export type EncryptionMode = 'AES256' | 'aws:kms' | 'aws:kms:dsse' | 'SSE-C'

/** The encryption of an object as answers show it. It never contains keys. */
export interface ObjectEncryption {
  readonly mode: EncryptionMode
  /** Of the named key, for the `aws:kms` modes. */
  readonly keyName?: string
  /** For `SSE-C`: distinguishes the client's key from any other, and reveals nothing about it. */
  readonly proof?: string
  readonly bucketKey?: boolean
  /** A request may contain a key. This field keeps its type apart from that of an answer. */
  readonly key?: never
}

/** For new objects that name none. */
export interface BucketEncryption {
  readonly mode: Exclude<EncryptionMode, 'SSE-C'>
  readonly keyName?: string
  readonly bucketKey?: boolean
}

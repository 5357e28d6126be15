/** How bytes are encrypted at rest, as S3 names it. */
export type EncryptionMode = 'AES256' | 'aws:kms' | 'aws:kms:dsse' | 'SSE-C'

/** Of an object, as its answers say it. Keys are never part of it. */
export interface ObjectEncryption {
  readonly mode: EncryptionMode
  /** Of the named key, for the `aws:kms` modes. */
  readonly keyName?: string
  /** For `SSE-C`: what tells the client's key from any other, and says nothing of it. */
  readonly proof?: string
  readonly bucketKey?: boolean
  /** What is asked for may hold a key; it is no answer, and never becomes one by chance. */
  readonly key?: never
}

/** For new objects that name none. */
export interface BucketEncryption {
  readonly mode: Exclude<EncryptionMode, 'SSE-C'>
  readonly keyName?: string
  readonly bucketKey?: boolean
}

/** How bytes are encrypted at rest, as S3 names it. */
export type EncryptionMode = 'AES256' | 'aws:kms' | 'aws:kms:dsse' | 'SSE-C'

/** Of an object, as its answers say it. Keys are never part of it. */
export interface ObjectEncryption {
  readonly mode: EncryptionMode
  /** Of the named key, for the `aws:kms` modes. */
  readonly keyName?: string
  /** Base64 MD5 of the client's own key, for `SSE-C`. */
  readonly customerKeyMd5?: string
  readonly bucketKey?: boolean
}

/** For new objects that name none. */
export interface BucketEncryption {
  readonly mode: Exclude<EncryptionMode, 'SSE-C'>
  readonly keyName?: string
  readonly bucketKey?: boolean
}

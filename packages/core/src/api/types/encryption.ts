/** Encryption in the options and results of writes and reads. */
import type { CreationFacts } from '../../events/index.ts'
import type { ObjectEncryption } from '../../settings/encryption.ts'

/**
 * Encrypts an object with keys of the store, with a named key of the keyring, or with a key that the client sends with each
 * request and the store never keeps.
 */
export type EncryptionRequest =
  | { readonly mode: 'AES256' }
  /**
   * `aws:kms:dsse` encrypts twice, with two keys. The default key `aws/s3` is the store's, unless the keyring has it.
   */
  | { readonly mode: 'aws:kms' | 'aws:kms:dsse'; readonly keyName?: string; readonly bucketKey?: boolean }
  /** 32 bytes. */
  | { readonly mode: 'SSE-C'; readonly key: Uint8Array }

/** Properties of an object that a write creates. */
export interface CreationOptions extends Omit<CreationFacts, 'encryption'> {
  /** @default the default encryption of the bucket, or none */
  readonly encryption?: EncryptionRequest
}

/** How the bytes of an object are encrypted. */
export type EncryptionInfo = Omit<ObjectEncryption, 'proof'>

/** The key of a read of an object that was encrypted with a key of the client. */
export interface ReadsEncrypted {
  /** The client's key, for objects that were written with one. */
  readonly customerKey?: Uint8Array
}

/** Options of reads that return facts of an object, and no bytes. */
export interface ReadsFacts extends ReadsEncrypted {
  /** Requires the client's key for `head` too, if `get` would require it. @default false */
  readonly needsKey?: boolean
}

/** A key that wraps the data keys of blobs. */
export interface KeyGenerationInfo {
  readonly generation: number
  /** An id of the master key that wraps this key; it reveals nothing about the master key. */
  readonly master: string
}

/** What writes and reads are told of encryption, and what they say of it. */
import type { CreationFacts } from '../../events/index.ts'
import type { ObjectEncryption } from '../../settings/encryption.ts'

/**
 * How an object's bytes are to be encrypted: with keys of the store, with a key of the keyring by its name, or with a key that the
 * client brings each time and that nobody keeps.
 */
export type EncryptionRequest =
  | { readonly mode: 'AES256' }
  /** `aws:kms:dsse` seals twice, with two keys. Without a name: the key `aws/s3`, which is the store's own unless the keyring has one. */
  | { readonly mode: 'aws:kms' | 'aws:kms:dsse'; readonly keyName?: string; readonly bucketKey?: boolean }
  /** 32 bytes. */
  | { readonly mode: 'SSE-C'; readonly key: Uint8Array }

/** What a write says of the object it makes. */
export interface CreationOptions extends Omit<CreationFacts, 'encryption'> {
  /** Absent: as the bucket has it for those who do not ask, and where it says nothing, as they come. */
  readonly encryption?: EncryptionRequest
}

/** How the bytes of an object are encrypted. */
export type EncryptionInfo = Omit<ObjectEncryption, 'proof'>

export interface ReadsEncrypted {
  /** The client's own key, for what was written with one. */
  readonly customerKey?: Uint8Array
}

export interface ReadsFacts extends ReadsEncrypted {
  /** Refuse without the client's own key what `get` would refuse without it. @default false */
  readonly needsKey?: boolean
}

/** A key that wraps the keys of contents. */
export interface KeyGenerationInfo {
  readonly generation: number
  /** The master key it is wrapped in, by an id that says nothing of it. */
  readonly master: string
}

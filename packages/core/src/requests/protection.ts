/** Decides how the content of a write is encrypted, and which facts its event records about that. */
import { type Soon, whenThere } from '../base/soon.ts'
import type { CreationOptions, EncryptionInfo, EncryptionRequest } from '../api/types/index.ts'
import { type CreationFacts, creationFacts } from '../events/index.ts'
import type { NamedBucket } from '../reads/read-snapshot.ts'
import type { BucketEncryption, ObjectEncryption } from '../settings/encryption.ts'
import { withSnapshot } from './read-scope.ts'
import type { Attempt } from './request-context.ts'
import type { RequestEngine } from './request-engine.ts'
import type { Protection } from './store-keys.ts'

/**
 * The encryption that the request names, or the bucket's default encryption.
 * @throws StorageError as `StoreKeys.protect`.
 */
export function protectionFor(
  requests: RequestEngine,
  context: Attempt,
  bucket: NamedBucket,
  { encryption }: Pick<CreationOptions, 'encryption'>,
): Soon<Protection | undefined> {
  const request = encryption ?? bucketDefault(requests, context, bucket)
  return whenThere<BucketEncryption | EncryptionRequest | undefined, Protection | undefined>(
    request,
    (named) => named && requests.keys.protect(named, context.by),
  )
}

function bucketDefault(
  requests: RequestEngine,
  context: Attempt,
  bucket: NamedBucket,
): Soon<BucketEncryption | undefined> {
  if (bucket.row.settings?.Encryption === undefined) return undefined
  return withSnapshot({ requests, context }, (snapshot) => snapshot.setting(bucket, 'Encryption'), {
    bucket: bucket.name,
  })
}

/** The facts of a creation, with the encryption of its content. */
export const createdFacts = (facts: CreationFacts, protection: Protection | undefined): CreationFacts =>
  protection === undefined ? facts : creationFacts({ ...facts, encryption: protection.encryption })

/**
 * As in S3, the ETag is the MD5 of the plain bytes only where the store's own keys encrypt them. Under other keys, that MD5
 * would reveal more about the bytes than the keys allow.
 */
export function encryptedFacts<F extends { readonly etag: string }>(
  requests: RequestEngine,
  facts: F,
  protection: Protection | undefined,
): F {
  if (protection === undefined || protection.encryption.mode === 'AES256') return facts
  return { ...facts, etag: requests.ports.ids.next() }
}

/** The encryption of an object as results show it. */
export function shownEncryption(encryption: ObjectEncryption | undefined): { readonly encryption?: EncryptionInfo } {
  if (encryption === undefined) return {}
  const { proof: _proof, ...shown } = encryption
  return { encryption: shown }
}

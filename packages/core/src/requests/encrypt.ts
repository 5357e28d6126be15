/** How what is written is to be encrypted, and what the object says of it. */
import { type CreationFacts, creationFacts } from '../events/index.ts'
import { noSuchBucket } from '../reads/conditions.ts'
import type { NamedBucket } from '../reads/read-snapshot.ts'
import type { BucketEncryption, ObjectEncryption } from '../settings/encryption.ts'
import { withSnapshot } from './read-scope.ts'
import type { Attempt } from './request-context.ts'
import type { RequestEngine } from './request-engine.ts'
import type { Protection } from './store-keys.ts'
import type { CreationOptions, EncryptionInfo } from '../api/types/index.ts'

/**
 * As asked for, else as the bucket has it for those who do not ask.
 * @throws StorageError as `StoreKeys.protect`.
 */
export async function protectionFor(
  requests: RequestEngine,
  context: Attempt,
  bucket: NamedBucket,
  { encryption }: Pick<CreationOptions, 'encryption'>,
): Promise<Protection | undefined> {
  const request = encryption ?? (await bucketDefault(requests, context, bucket))
  return request && requests.keys.protect(request, context.by)
}

async function bucketDefault(
  requests: RequestEngine,
  context: Attempt,
  bucket: NamedBucket,
): Promise<BucketEncryption | undefined> {
  if (bucket.row.settings?.Encryption === undefined) return undefined
  return withSnapshot({ requests, context }, (snapshot) => snapshot.setting(bucket, 'Encryption'), {
    bucket: bucket.name,
  })
}

/** Early, so that bytes for a bucket that is not there are not taken in; the command decides again. @throws StorageError `NoSuchBucket` */
export async function bucketNamed(requests: RequestEngine, context: Attempt, name: string): Promise<NamedBucket> {
  const row = await withSnapshot({ requests, context }, (snapshot) => snapshot.bucket(name), { bucket: name })
  if (row === undefined) throw noSuchBucket(name)
  return { name, row }
}

/** What a write says of its object: with its encryption as it came to be. */
export const createdFacts = (facts: CreationFacts, protection: Protection | undefined): CreationFacts =>
  creationFacts({ ...facts, ...(protection && { encryption: protection.encryption }) })

/**
 * The MD5 of the plain bytes is for the ETag of those alone that are encrypted with the store's own keys, as in S3: with others it
 * would say more of the bytes than their keys allow.
 */
export function encryptedFacts<F extends { readonly etag: string }>(
  requests: RequestEngine,
  facts: F,
  protection: Protection | undefined,
): F {
  if (protection === undefined || protection.encryption.mode === 'AES256') return facts
  return { ...facts, etag: requests.ports.ids.next() }
}

/** As answers say it. */
export function shownEncryption(encryption: ObjectEncryption | undefined): { readonly encryption?: EncryptionInfo } {
  if (encryption === undefined) return {}
  const { proof: _proof, ...shown } = encryption
  return { encryption: shown }
}

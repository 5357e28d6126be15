/**
 * Copies objects: the new version shares the bytes of its source, so only metadata is written. If the copy needs
 * another encryption, its bytes are written as new content.
 */
import { toBase64 } from '../bytes/base64.ts'
import { isStorageError, StorageError } from '../base/errors.ts'
import type { Checksum, CreationFacts, ObjectFacts, ObjectMetadata, RecordedEvent } from '../events/index.ts'
import { checkKey } from '../naming/names.ts'
import type { Digest } from '../ports/index.ts'
import type { NamedBucket } from '../reads/read-snapshot.ts'
import { versionId } from '../naming/version-id.ts'
import { assertQuota } from './assert-quota.ts'
import { checkBytes, digestsFor } from './byte-checks.ts'
import { type Attempt, attempting } from './request-context.ts'
import { creationOf, objectMetadata } from './creation-options.ts'
import { writeConditions } from '../commands/command.ts'
import { createdObject, withExpiration } from './created-object.ts'
import { findBucket } from './find-bucket.ts'
import { createdFacts, encryptedFacts, protectionFor } from './protection.ts'
import { type RequestEngine, findEvent } from './request-engine.ts'
import type { FoundObject } from './find-object.ts'
import {
  assertKept,
  checkCopySize,
  findSource,
  keepingSource,
  type PlacedSource,
  readSource,
  versionOf,
} from './find-source.ts'
import type { Protection } from './store-keys.ts'
import type { CopyOptions, CopyResult } from '../api/types/index.ts'

interface Copy {
  readonly source: PlacedSource
  readonly bucket: string
  readonly key: string
}

interface FoundCopy {
  readonly source: PlacedSource
  readonly found: FoundObject
  readonly destination: NamedBucket
  readonly key: string
}

export async function copyObject(
  requests: RequestEngine,
  context: Attempt,
  { source, bucket, key }: Copy,
  options: CopyOptions,
): Promise<CopyResult> {
  checkKey(key)
  for (;;) {
    options.signal?.throwIfAborted()
    await requests.assertRoom()
    const attempt = async (authorised: Attempt) => {
      // As in S3, the destination is checked before the source.
      const destination = await findBucket(requests, authorised, bucket)
      const found = await findSource(requests, authorised, source)
      checkCopySize(found.row.size)
      const copying = copyFound(requests, authorised, { source, destination, key, found }, options)
      return { found, events: await copying.catch(unlessReplaced) }
    }
    const made = await keepingSource(requests, source, () => attempting(context, { source, bucket, key }, attempt))
    if (made.events === undefined) continue
    const tags = findEvent(made.events, 'VersionAdded')?.data.tags
    const result = { ...createdObject(made.events), sourceVersionId: versionId(made.found.row) }
    return withExpiration(requests, context, { bucket, key, tags }, result)
  }
}

async function copyFound(
  requests: RequestEngine,
  context: Attempt,
  { source, destination, key, found }: FoundCopy,
  options: CopyOptions,
): Promise<readonly RecordedEvent[]> {
  const bucket = destination.name
  const protection = await protectionFor(requests, context, destination, options)
  if (protection === undefined && found.row.facts.encryption === undefined)
    refuseNoChange({ source, bucket, key }, options)
  if (!(await canShare(requests, found.row.facts, protection))) {
    return rewriteFound(requests, context, { source, destination, key, found }, { ...options, protection })
  }
  await assertKept(requests, found.row)
  const checksum = await copiedChecksum(requests, context, { source, found }, options)
  const command = {
    bucket,
    key,
    source: versionOf(source, found),
    metadata: copiedMetadata(found, options),
    conditions: writeConditions(options),
    creation: createdFacts(copiedCreation(found, options), protection),
    ...(checksum && { checksum }),
  }
  return requests.submit('CopyObject', command, context)
}

/** Whether the copy can share the source's bytes, because it needs the same encryption. */
async function canShare(
  requests: RequestEngine,
  { content, encryption }: ObjectFacts,
  protection: Protection | undefined,
): Promise<boolean> {
  if (encryption === undefined || protection === undefined) return encryption === protection
  const parts = content.kind === 'parts' ? await requests.manifests.parts(content.upload) : [{ content }]
  const blobs = parts.flatMap((part) => (part.content.kind === 'blob' ? [part.content] : []))
  return protection.isThatOf(
    encryption,
    blobs.map(({ sealed }) => sealed),
  )
}

/** Writes the plain bytes of the source as new content. */
async function rewriteFound(
  requests: RequestEngine,
  context: Attempt,
  { source, destination, key, found }: FoundCopy,
  { protection, ...options }: CopyOptions & { readonly protection: Protection | undefined },
): Promise<readonly RecordedEvent[]> {
  const { signal, checksumAlgorithm: algorithm = found.row.shown.checksum?.algorithm } = options
  await assertQuota(requests, context, destination, { size: found.row.size, key })
  const checks = algorithm === undefined ? {} : { checksum: { algorithm } }
  const object = await readSource(requests, context, { source, found }, signal)
  try {
    return await requests.withContent(
      object.body,
      { algorithms: digestsFor(checks), signal, protection },
      (written) => {
        const { content, size } = written
        const plain = { size, content, metadata: copiedMetadata(found, options), ...checkBytes(written, checks) }
        const facts = {
          ...encryptedFacts(requests, plain, protection),
          ...createdFacts(copiedCreation(found, options), protection),
        }
        const command = { bucket: destination.name, key, facts, conditions: writeConditions(options) }
        return requests.submit('PutObject', command, context, written)
      },
    )
  } finally {
    await object.close()
  }
}

/** The source may be removed before the copy is decided. The caller then looks for the source again. */
function unlessReplaced(error: unknown): undefined {
  if (!isStorageError(error, 'NoSuchVersion')) throw error
}

/** A website redirect is never copied: the copy has one only if its own options set it. */
function copiedMetadata({ row }: FoundObject, options: CopyOptions): ObjectMetadata {
  if (options.metadataDirective === 'REPLACE') return objectMetadata(options)
  const { websiteRedirectLocation: _theirs, ...kept } = row.facts.metadata
  const { websiteRedirectLocation } = options
  return { ...kept, ...(websiteRedirectLocation !== undefined && { websiteRedirectLocation }) }
}

function copiedCreation({ annotations }: FoundObject, options: CopyOptions): CreationFacts {
  const { tags: given, ...others } = options
  const tags = options.taggingDirective === 'REPLACE' ? given : annotations.tags
  return creationOf({ ...others, ...(tags && { tags }) })
}

function refuseNoChange({ source, bucket, key }: Copy, options: CopyOptions): void {
  const { at, versionId: version } = source
  const itself = source.bucket === bucket && source.key === key && version === undefined && at === undefined
  const { metadataDirective, checksumAlgorithm, storageClass, websiteRedirectLocation } = options
  const changed = checksumAlgorithm ?? storageClass ?? websiteRedirectLocation
  if (!itself || metadataDirective === 'REPLACE' || changed !== undefined) return
  throw new StorageError(
    'InvalidRequest',
    "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.",
  )
}

async function copiedChecksum(
  requests: RequestEngine,
  context: Attempt,
  { source, found }: Pick<FoundCopy, 'source' | 'found'>,
  { checksumAlgorithm: algorithm, signal }: CopyOptions,
): Promise<Checksum | undefined> {
  const { checksum } = found.row.facts
  if (algorithm === undefined || checksum?.algorithm === algorithm) return checksum
  const digest = requests.ports.hashing.create(algorithm)
  const object = await readSource(requests, context, { source, found }, signal)
  return { algorithm, type: 'FULL_OBJECT', value: await digestOf(digest, object.body) }
}

async function digestOf(digest: Digest, bytes: AsyncIterable<Uint8Array>): Promise<string> {
  for await (const chunk of bytes) digest.update(chunk)
  return toBase64(digest.finish())
}

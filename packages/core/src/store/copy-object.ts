/** Copies: the new version takes over the bytes of its source, so nothing but metadata is written. */
import { toBase64 } from '../bytes/base64.ts'
import { noSuchBucket } from '../decide/conditions.ts'
import { isStorageError, StorageError } from '../errors.ts'
import type { Checksum, CreationFacts, ObjectMetadata, RecordedEvent } from '../events/index.ts'
import { limits } from '../limits.ts'
import { checkKey } from '../names.ts'
import type { Digest } from '../ports/index.ts'
import { checkReadConditions } from '../reads/read-conditions.ts'
import { versionId } from '../version-id.ts'
import { commandMeta, type StoreContext, withMoment } from './context.ts'
import { creationOf } from './creation-options.ts'
import { metadataOf } from './describe.ts'
import { type Desk, findEvent } from './desk.ts'
import { withExpiration } from './expiration.ts'
import { type FoundObject, findObject } from './find-object.ts'
import { putResult, writeConditions } from './put-result.ts'
import { readObjects } from './read-objects.ts'
import type { CopyOptions, CopyResult, CopySource } from './types/index.ts'

interface Copy {
  readonly source: CopySource
  readonly bucket: string
  readonly key: string
}

export async function copyObject(
  desk: Desk,
  context: StoreContext,
  { source, bucket, key }: Copy,
  options: CopyOptions,
): Promise<CopyResult> {
  checkKey(key)
  for (;;) {
    options.signal?.throwIfAborted()
    await desk.assertRoom()
    await assertDestination(desk, bucket)
    const found = await findSource(desk, source)
    checkCopySize(found.row.size)
    refuseNoChange({ source, bucket, key }, options)
    const events = await copyFound(desk, context, { source, bucket, key, found }, options).catch(unlessReplaced)
    if (events === undefined) continue
    const tags = findEvent(events, 'VersionAdded')?.data.tags
    const result = { ...putResult(events), sourceVersionId: versionId(found.row) }
    return withExpiration(desk, { bucket, key, tags }, result)
  }
}

async function copyFound(
  desk: Desk,
  context: StoreContext,
  { source, bucket, key, found }: Copy & { readonly found: FoundObject },
  options: CopyOptions,
): Promise<readonly RecordedEvent[]> {
  const checksum = await copiedChecksum(desk, source, found, options)
  const command = {
    bucket,
    key,
    source: { bucket: source.bucket, key: source.key, version: found.row.seq },
    metadata: copiedMetadata(found, options),
    conditions: writeConditions(options),
    creation: copiedCreation(found, options),
    ...(checksum && { checksum }),
  }
  return desk.submit('CopyObject', command, commandMeta(context, desk.ports.ids))
}

/** Where a copy goes is looked at before what it is a copy of, as S3 does. @throws StorageError `NoSuchBucket` */
export async function assertDestination(desk: Desk, bucket: string): Promise<void> {
  const found = await withMoment({ desk }, (moment) => moment.bucket(bucket))
  if (found === undefined) throw noSuchBucket(bucket)
}

/** The version that was found may go before it is the copy's turn. What is there instead, or that nothing is, is found next. */
function unlessReplaced(error: unknown): undefined {
  if (!isStorageError(error, 'NoSuchVersion')) throw error
}

/** @throws StorageError `InvalidRequest` for more than one copy may take over. */
export function checkCopySize(bytes: number): void {
  if (bytes <= limits.uploadSizeMax) return
  throw new StorageError(
    'InvalidRequest',
    `The specified copy source is larger than the maximum allowable size for a copy source: ${limits.uploadSizeMax}`,
  )
}

/** The version a copy takes its bytes from, its conditions met. */
export async function findSource(desk: Desk, source: CopySource): Promise<FoundObject> {
  const { bucket, key, versionId: id, conditions = {} } = source
  const found = await withMoment({ desk }, (moment) => findObject(moment, bucket, key, id))
  try {
    checkReadConditions({ etag: found.row.etag, lastModified: new Date(found.row.at) }, conditions)
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    // Whatever failed, a copy answers 412: there is no body of the client's to fall back on.
    throw new StorageError('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold', {
      details: { Condition: `x-amz-copy-source-${String(error.details['Condition'])}` },
    })
  }
  return found
}

const copiedMetadata = ({ row }: FoundObject, options: CopyOptions): ObjectMetadata =>
  options.metadataDirective === 'REPLACE' ? metadataOf(options) : row.metadata

function copiedCreation({ said }: FoundObject, options: CopyOptions): CreationFacts {
  const { tags: given, ...others } = options
  const tags = options.taggingDirective === 'REPLACE' ? given : said.tags
  return creationOf({ ...others, ...(tags && { tags }) })
}

function refuseNoChange({ source, bucket, key }: Copy, options: CopyOptions): void {
  const itself = source.bucket === bucket && source.key === key && source.versionId === undefined
  const { metadataDirective, checksumAlgorithm, storageClass } = options
  if (!itself || metadataDirective === 'REPLACE' || (checksumAlgorithm ?? storageClass) !== undefined) return
  throw new StorageError(
    'InvalidRequest',
    "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.",
  )
}

async function copiedChecksum(
  desk: Desk,
  source: CopySource,
  { row }: FoundObject,
  { checksumAlgorithm: algorithm, signal }: CopyOptions,
): Promise<Checksum | undefined> {
  if (algorithm === undefined || row.checksum?.algorithm === algorithm) return row.checksum
  const read = readObjects({ desk })
  const digest = desk.ports.hashing.create(algorithm)
  const object = await read.get(source.bucket, source.key, { versionId: versionId(row), ...(signal && { signal }) })
  return { algorithm, type: 'FULL_OBJECT', value: await digestOf(digest, object.body) }
}

async function digestOf(digest: Digest, bytes: AsyncIterable<Uint8Array>): Promise<string> {
  for await (const chunk of bytes) digest.update(chunk)
  return toBase64(digest.finish())
}

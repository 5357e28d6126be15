/** Finds the source of a copy, now or as it was at a position. */
import { StorageError } from '../base/errors.ts'
import { limits } from '../base/limits.ts'
import type { CommandShapes } from '../commands/command.ts'
import { assertPresent, extentsOf } from '../content/content-reader.ts'
import type { BlobRef, Seal } from '../events/index.ts'
import { versionId } from '../naming/version-id.ts'
import type { Seq } from '../ports/index.ts'
import type { ObjectVersionRow } from '../views/version-row.ts'
import { checkReadConditions } from '../reads/read-conditions.ts'
import type { CopySource } from '../api/types/index.ts'
import { type FoundObject, findObject } from './find-object.ts'
import { missingPastBytes } from './missing-bytes.ts'
import { readFound } from './read-object.ts'
import { type ReadScope, withSnapshot } from './read-scope.ts'
import type { Attempt } from './request-context.ts'
import type { RequestEngine } from './request-engine.ts'

/** A source whose moment is a position. */
export type PlacedSource<S extends CopySource = CopySource> = Omit<S, 'at'> & { readonly at?: Seq }

/** @throws StorageError `MomentOutOfRange`, `NoSuchSnapshot`, `InvalidArgument` */
export async function placedSource<S extends CopySource>(
  requests: RequestEngine,
  { at, ...source }: S,
): Promise<PlacedSource<S>> {
  requests.owner.assertOpen()
  return at === undefined ? source : { ...source, at: await requests.owner.positionOf(at) }
}

/** The version that the source names; its conditions are checked. */
export async function findSource(
  requests: RequestEngine,
  context: Attempt,
  source: PlacedSource,
): Promise<FoundObject> {
  const { bucket, key, versionId: id, conditions = {} } = source
  const found = await withSnapshot({ ...sourceScope(requests, source), context }, (snapshot) =>
    findObject(snapshot, bucket, key, id),
  )
  requests.keys.checkReader(found.row.facts.encryption, {
    ...(source.customerKey && { customerKey: source.customerKey }),
    needsKey: true,
  })
  try {
    checkReadConditions({ etag: found.row.etag, lastModified: new Date(found.row.at) }, conditions)
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    // S3 answers 412 for any failed condition of a copy, because there is no body to answer 304 for.
    throw new StorageError('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold', {
      details: { Condition: `x-amz-copy-source-${String(error.details['Condition'])}` },
    })
  }
  return found
}

/** Reads the bytes of a found source. @throws StorageError `NoSuchVersion` if it is gone; as `get` does */
export function readSource(
  requests: RequestEngine,
  context: Attempt,
  { source, found }: { readonly source: PlacedSource; readonly found: FoundObject },
  signal: AbortSignal | undefined,
) {
  const { customerKey } = source
  const reading = { ...(signal && { signal }), ...(customerKey && { customerKey }) }
  return readFound(sourceScope(requests, source), source, reading, () => findAgain(requests, context, source, found))
}

/** The version that a command copies. */
export const versionOf = (
  { bucket, key, at }: PlacedSource,
  { row }: FoundObject,
): CommandShapes['CopyObject']['source'] => ({
  bucket,
  key,
  version: row.seq,
  ...(at !== undefined && { at }),
})

/** Prevents the erasure of the bytes of a source of the past until `work` has ended: the copy shares them from then on. */
export async function keepingSource<R>(
  requests: RequestEngine,
  { at }: PlacedSource,
  work: () => Promise<R>,
): Promise<R> {
  if (at === undefined) return work()
  const release = requests.owner.beginRead(at)
  try {
    await requests.owner.erased(at)
    return await work()
  } finally {
    release()
  }
}

/**
 * Checks that all bytes of a removed version are there. Await it within `keepingSource`: a sweep that crashed may have
 * erased some, which the log does not show.
 * @throws StorageError `ObjectErased`; `BlobMissing` if they are lost
 */
export async function assertKept(
  requests: RequestEngine,
  { until, isBorrowed, facts, size }: ObjectVersionRow,
): Promise<void> {
  if (until === undefined && !isBorrowed) return
  const places = {
    manifest: (upload: Seq) => requests.manifests.contents(upload, size),
    unseal: (sealed: Seal, blob: BlobRef) => requests.keys.unseal(sealed, blob, undefined),
  }
  const extents = await extentsOf(places, facts.content, { start: 0, end: size })
  await assertPresent({ blobs: requests.ports.blobs }, requests.owner.log, extents).catch(async (error: unknown) => {
    throw await missingPastBytes(requests, { facts, size }, error)
  })
}

/** Finds the source under the read's lease, which prevents erasure. */
async function findAgain(
  requests: RequestEngine,
  context: Attempt,
  source: PlacedSource,
  { row }: FoundObject,
): Promise<FoundObject> {
  const again = await withSnapshot({ ...sourceScope(requests, source), context }, (snapshot) =>
    findObject(snapshot, source.bucket, source.key, versionId(row)),
  )
  if (again.row.seq === row.seq) return again
  throw new StorageError('NoSuchVersion', 'The source of the copy is gone.', { details: { Key: source.key } })
}

export const sourceScope = (requests: RequestEngine, { at }: PlacedSource): ReadScope =>
  at === undefined ? { requests } : { requests, at }

/** @throws StorageError `InvalidRequest` if the source is larger than the maximum of a copy. */
export function checkCopySize(bytes: number): void {
  if (bytes <= limits.uploadSizeMax) return
  throw new StorageError(
    'InvalidRequest',
    `The specified copy source is larger than the maximum allowable size for a copy source: ${limits.uploadSizeMax}`,
  )
}

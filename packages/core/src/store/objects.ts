import { byteSource, type Body } from '../content/body.ts'
import { StorageError } from '../errors.ts'
import type { Checksum, ObjectMetadata, RecordedEvent } from '../events/index.ts'
import type { ChecksumAlgorithm } from '../ports/index.ts'
import { checkReadConditions } from '../reads/read-conditions.ts'
import { checkKey, checkMetadata } from '../names.ts'
import { parseVersionId, versionId } from '../version-id.ts'
import { toBase64 } from '../bytes/base64.ts'
import { noSuchBucket } from '../decide/conditions.ts'
import { checkBytes, digestsFor } from './byte-checks.ts'
import { commandMeta, type StoreContext, withMoment } from './context.ts'
import { metadataOf } from './describe.ts'
import { type Engine, findEvent } from './engine.ts'
import { type FoundObject, findObject } from './find-object.ts'
import { type ReadObjects, readObjects } from './read-objects.ts'
import type {
  CopyOptions,
  CopyResult,
  CopySource,
  DeleteOptions,
  DeleteOutcome,
  DeleteResult,
  DeleteTarget,
  PutOptions,
  PutResult,
} from './types.ts'

export interface Objects extends ReadObjects {
  /**
   * Stores bytes under a key. Resolves when bytes and event are durable.
   * @throws StorageError `NoSuchBucket`, `KeyTooLongError`, `MetadataTooLarge`, `EntityTooLarge`, `PreconditionFailed`,
   * `BadDigest`, `InvalidDigest`, `InvalidRequest`, `NoSpace`, `StoreFailed`.
   */
  put(bucket: string, key: string, body: Body, options?: PutOptions): Promise<PutResult>
  /**
   * Gives a version's bytes another key, without moving them.
   * @throws StorageError as `put`, and what `get` throws for the source.
   */
  copy(source: CopySource, bucket: string, key: string, options?: CopyOptions): Promise<CopyResult>
  /** Deletes by key, or one version by its id. @throws StorageError `NoSuchBucket`, `InvalidArgument`, `PreconditionFailed`. */
  delete(bucket: string, key: string, options?: DeleteOptions): Promise<DeleteResult>
  /** Deletes in order, each by itself: one that fails does not stop the others. @throws StorageError `NoSuchBucket`. */
  deleteMany(bucket: string, targets: readonly DeleteTarget[]): Promise<readonly DeleteOutcome[]>
}

export function objects(engine: Engine, context: StoreContext): Objects {
  const meta = () => commandMeta(context, engine.ports.ids)

  const remove = async (bucket: string, { key, versionId: id, ifMatch }: DeleteTarget): Promise<DeleteResult> => {
    const condition = ifMatch === undefined ? {} : { ifMatch }
    if (id === undefined) {
      const events = await engine.submit('DeleteObject', { bucket, key, ...condition }, meta())
      const marker = findEvent(events, 'DeleteMarkerAdded')
      if (marker === undefined) return { deleteMarker: false }
      return { versionId: versionId({ ...marker.data, seq: marker.seq }), deleteMarker: true }
    }
    const version = parseVersionId(id)
    const events = await engine.submit('DeleteObjectVersion', { bucket, key, version, ...condition }, meta())
    return { versionId: id, deleteMarker: findEvent(events, 'VersionRemoved')?.data.deleteMarker ?? false }
  }

  return {
    ...readObjects({ engine }),

    async put(bucket, key, body, options = {}) {
      options.signal?.throwIfAborted()
      checkKey(key)
      const metadata = metadataOf(options)
      checkMetadata(metadata)
      const algorithms = digestsFor(options)
      await assertBucket(engine, bucket)
      return engine.withContent(byteSource(body), algorithms, options.signal, async (written) => {
        const { content, size } = written
        const facts = { size, content, metadata, ...checkBytes(written, options) }
        const conditions = writeConditions(options)
        return putResult(await engine.submit('PutObject', { bucket, key, facts, conditions }, meta(), written))
      })
    },

    async copy(source, bucket, key, options = {}) {
      options.signal?.throwIfAborted()
      checkKey(key)
      await engine.assertRoom()
      const release = engine.reads.begin(engine.writer.committed)
      try {
        const found = await findSource(engine, source)
        const metadata = copiedMetadata(found, options)
        refuseNoChange(source, { bucket, key, options })
        const checksum = await copiedChecksum(engine, source, found, options)
        const command = {
          bucket,
          key,
          source: { bucket: source.bucket, key: source.key, version: found.row.seq },
          metadata,
          conditions: writeConditions(options),
          ...(checksum && { checksum }),
        }
        const events = await engine.submit('CopyObject', command, meta())
        return { ...putResult(events), sourceVersionId: versionId(found.row) }
      } finally {
        release()
      }
    },

    delete(bucket, key, options = {}) {
      options.signal?.throwIfAborted()
      return remove(bucket, { ...options, key })
    },

    async deleteMany(bucket, targets) {
      await assertBucket(engine, bucket)
      return Promise.all(
        targets.map((target) =>
          remove(bucket, target).then(
            (result): DeleteOutcome => ({ ...target, result }),
            (error: unknown): DeleteOutcome => ({ ...target, error }),
          ),
        ),
      )
    },
  }
}

/** Early, so that bytes for a bucket that is not there are not taken in; the command decides again. */
export async function assertBucket(engine: Engine, bucket: string): Promise<void> {
  const found = await withMoment({ engine }, (moment) => moment.bucket(bucket))
  if (found === undefined) throw noSuchBucket(bucket)
}

/** What a command that adds an object answers. */
export function putResult(events: readonly RecordedEvent[]): PutResult {
  const event = findEvent(events, 'VersionAdded') ?? findEvent(events, 'UploadCompleted')
  if (event === undefined) throw new StorageError('InternalError', 'The command left no version.')
  const { etag, size, checksum, nullVersion } = event.data
  const place = {
    seq: event.seq,
    lastModified: new Date(event.at),
    versionId: versionId({ seq: event.seq, nullVersion }),
  }
  return { ...place, etag, size, ...(checksum && { checksum }) }
}

/** The version a copy takes its bytes from, its conditions met. */
export async function findSource(engine: Engine, source: CopySource): Promise<FoundObject> {
  const { bucket, key, versionId: id, conditions = {} } = source
  const found = await withMoment({ engine }, (moment) => findObject(moment, bucket, key, id))
  try {
    checkReadConditions({ etag: found.row.etag, lastModified: new Date(found.row.at) }, conditions)
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    // Whatever failed, a copy answers 412: there is no body of the client's to fall back on.
    throw new StorageError('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold', {
      details: { Condition: `x-amz-copy-source-${String(error.details['Condition'] ?? 'If-None-Match')}` },
    })
  }
  return found
}

const copiedMetadata = ({ row }: FoundObject, options: CopyOptions): ObjectMetadata =>
  options.metadataDirective === 'REPLACE' ? metadataOf(options) : row.metadata

function refuseNoChange(
  source: CopySource,
  { bucket, key, options }: { readonly bucket: string; readonly key: string; readonly options: CopyOptions },
): void {
  const itself = source.bucket === bucket && source.key === key && source.versionId === undefined
  if (!itself || options.metadataDirective === 'REPLACE' || options.checksumAlgorithm !== undefined) return
  throw new StorageError(
    'InvalidRequest',
    "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.",
  )
}

async function copiedChecksum(
  engine: Engine,
  source: CopySource,
  { row }: FoundObject,
  { checksumAlgorithm: algorithm, signal }: CopyOptions,
): Promise<Checksum | undefined> {
  if (algorithm === undefined || row.checksum?.algorithm === algorithm) return row.checksum
  const read = readObjects({ engine })
  const object = await read.get(source.bucket, source.key, { versionId: versionId(row), ...(signal && { signal }) })
  return { algorithm, type: 'FULL_OBJECT', value: await digestOf(engine, algorithm, object.body) }
}

async function digestOf(engine: Engine, algorithm: ChecksumAlgorithm, bytes: AsyncIterable<Uint8Array>) {
  const digest = engine.ports.hashing.create(algorithm)
  for await (const chunk of bytes) digest.update(chunk)
  return toBase64(digest.finish())
}

/** Just the conditions of larger options. */
export const writeConditions = ({ ifMatch, ifNoneMatch }: PutOptions) => ({
  ...(ifMatch !== undefined && { ifMatch }),
  ...(ifNoneMatch !== undefined && { ifNoneMatch }),
})

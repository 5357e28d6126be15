import { type Body, withBody } from '../content/body.ts'
import { reported } from '../content/reported.ts'
import { parseVersionId, versionId } from '../naming/version-id.ts'
import type { Annotation } from '../settings/annotation.ts'
import type { Seq } from '../ports/index.ts'
import { checked } from '../schema/schema.ts'
import { annotation } from '../settings/annotation-schemas.ts'
import { checkBucket, checkPlace, optionsOf } from './arguments/common.ts'
import {
  annotateOptions,
  copyOptions,
  copySource,
  deleteOptions,
  deleteTargets,
  putOptions,
} from './arguments/write-options.ts'
import { annotate, type AnnotatedVersion, type AnnotateOptions } from '../requests/annotate.ts'
import type { StoreContext } from '../requests/request-context.ts'
import { copyObject } from '../requests/copy-object.ts'
import { type RequestEngine, findEvent } from '../requests/request-engine.ts'
import { findBucket } from '../requests/find-bucket.ts'
import { placedSource } from '../requests/find-source.ts'
import { putObject } from '../requests/put-object.ts'
import { versionWithReceipt, withReceipt } from '../requests/with-receipt.ts'
import type { ReadObjects } from './read-objects.ts'
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
} from './types/index.ts'

/** Writes, reads and deletes objects. */
export interface Objects extends ReadObjects {
  /**
   * Stores bytes under a key. Resolves when bytes and event are durable.
   * @throws StorageError `NoSuchBucket`, `KeyTooLongError`, `MetadataTooLarge`, `EntityTooLarge`, `PreconditionFailed`,
   * `BadDigest`, `InvalidDigest`, `InvalidRequest`, `InvalidTag`, `InvalidStorageClass`, `NoSpace`, `StoreFailed`; for
   * `encryption`, `InvalidArgument`, `KMS.NotFoundException`, `NotImplemented` (no keys to encrypt with), `KeyUnavailable`;
   * for `receipt`, `NotImplemented` (no key for the log), `CheckpointConflict`, `ReceiptFailed`.
   */
  put(bucket: string, key: string, body: Body, options?: PutOptions): Promise<PutResult>
  /**
   * Copies an object without moving its bytes: the new version shares them. A source `at` a moment is the object as it
   * was, also if it was removed since.
   * @throws StorageError as `put`, and what `get` throws for the source; as `store.at` for its moment.
   */
  copy(source: CopySource, bucket: string, key: string, options?: CopyOptions): Promise<CopyResult>
  /**
   * Deletes by key, or one version by its id.
   * @throws StorageError `NoSuchBucket`, `InvalidArgument`, `PreconditionFailed`, `AccessDenied` for a locked version.
   */
  delete(bucket: string, key: string, options?: DeleteOptions): Promise<DeleteResult>
  /**
   * Changes an annotation of a version without a new version: tags, ACL, retention or legal hold. Without a value, removes it.
   * @throws StorageError `NoSuchBucket`, `NoSuchKey`, `NoSuchVersion`, `MethodNotAllowed` for a delete marker, `InvalidTag`,
   * `InvalidRequest` for a lock if the bucket has no Object Lock, `InvalidArgument`, `AccessDenied` for a locked
   * version.
   */
  annotate(bucket: string, key: string, annotation: Annotation, options?: AnnotateOptions): Promise<AnnotatedVersion>
  /**
   * Deletes the targets one by one, in order. One failure does not stop the others.
   * @throws StorageError `NoSuchBucket`.
   */
  deleteMany(bucket: string, targets: readonly DeleteTarget[]): Promise<readonly DeleteOutcome[]>
}

export function objects(read: ReadObjects, requests: RequestEngine, context: StoreContext): Objects {
  const remove = (bucket: string, target: DeleteTarget) => removeObject(requests, context, bucket, target)

  // Written without a spread, which takes several times as long: a server makes this for every request.
  return {
    put: (bucket, key, body, options) =>
      withBody(body, (source) => {
        checkPlace(bucket, key)
        const given = optionsOf(putOptions, options)
        const object = { bucket, key, source: reported(source, given.onProgress) }
        return versionWithReceipt(requests.owner, given, () => putObject(requests, context, object, given))
      }),

    async copy(source, bucket, key, options) {
      checkPlace(bucket, key)
      const given = checked('source', copySource, source)
      const checkedOptions = optionsOf(copyOptions, options)
      const copy = { source: await placedSource(requests, given), bucket, key }
      return versionWithReceipt(requests.owner, checkedOptions, () =>
        copyObject(requests, context, copy, checkedOptions),
      )
    },

    async delete(bucket, key, given) {
      checkPlace(bucket, key)
      const options = optionsOf(deleteOptions, given)
      options.signal?.throwIfAborted()
      return withReceipt(requests.owner, options, () => remove(bucket, { ...options, key }))
    },

    async deleteMany(bucket, given) {
      checkBucket(bucket)
      const targets = checked('targets', deleteTargets, given)
      await findBucket(requests, context, bucket)
      return Promise.all(
        targets.map((target) =>
          remove(bucket, target).then(
            ({ result }): DeleteOutcome => ({ ...target, result }),
            (error: unknown): DeleteOutcome => ({ ...target, error }),
          ),
        ),
      )
    },

    async annotate(bucket, key, given, options) {
      checkPlace(bucket, key)
      const target = { bucket, key, annotation: checked('annotation', annotation, given) }
      return annotate(requests, context, target, optionsOf(annotateOptions, options))
    },

    get: read.get,
    head: read.head,
    exists: read.exists,
    attributes: read.attributes,
    annotations: read.annotations,
    list: read.list,
    listPage: read.listPage,
  }
}

interface Removed {
  readonly result: DeleteResult
  /** The position of the event. Absent if nothing was changed. */
  readonly seq: Seq | undefined
}

async function removeObject(
  requests: RequestEngine,
  context: StoreContext,
  bucket: string,
  { key, versionId: id, ifMatch, bypassGovernance }: DeleteTarget,
): Promise<Removed> {
  const condition = ifMatch === undefined ? {} : { ifMatch }
  if (id === undefined) {
    const events = await requests.submit('DeleteObject', { bucket, key, ...condition }, context)
    const marker = findEvent(events, 'DeleteMarkerAdded')
    if (marker === undefined) return { result: { deleteMarker: false }, seq: events.at(-1)?.seq }
    const { seq, epoch, data } = marker
    return { result: { versionId: versionId({ ...data, seq, epoch }), deleteMarker: true }, seq }
  }
  const version = parseVersionId(id)
  const command = { bucket, key, version, ...condition, ...(bypassGovernance && { bypassGovernance }) }
  const events = await requests.submit('DeleteObjectVersion', command, context)
  const removed = findEvent(events, 'VersionRemoved')
  return { result: { versionId: id, deleteMarker: removed?.data.deleteMarker ?? false }, seq: removed?.seq }
}

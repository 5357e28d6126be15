/** Deletes many objects or versions under one request id, page by page, wherever the store is. */
import { isStorageError } from '../base/errors.ts'
import { checked } from '../schema/schema.ts'
import { checkBucket, name, optionsOf } from './arguments/common.ts'
import { emptyBucketOptions, removalOptions } from './arguments/removal-options.ts'
import type { RequestStore } from './request-store.ts'
import type {
  DeleteOutcome,
  DeleteTarget,
  EmptiedBucket,
  EmptyBucketOptions,
  Removal,
  RemovalOptions,
} from './types/index.ts'

/** The calls that are made, all under the request id `id`. */
export interface RemovingStore extends Pick<RequestStore, 'objects' | 'versions' | 'uploads'> {
  readonly id: string
}

const failedMax = 1000

export async function deletePrefix(
  { id, objects }: RemovingStore,
  givenBucket: string,
  givenPrefix: string,
  givenOptions: RemovalOptions | undefined,
): Promise<Removal> {
  const bucket = checkBucket(givenBucket)
  const prefix = checked('prefix', name, givenPrefix)
  const { signal, ...listeners } = optionsOf(removalOptions, givenOptions)
  const tally = new Tally(id, listeners)
  const options = { prefix, ...(signal && { signal }) }
  for await (const { entries } of objects.list(bucket, options).pages()) {
    const targets = entries.flatMap((entry) => (entry.kind === 'object' ? [{ key: entry.key }] : []))
    await tally.add(await objects.deleteMany(bucket, targets))
  }
  return tally.removal
}

export async function emptyBucket(
  { id, objects, versions, uploads }: RemovingStore,
  givenBucket: string,
  givenOptions: EmptyBucketOptions | undefined,
): Promise<EmptiedBucket> {
  const bucket = checkBucket(givenBucket)
  const { signal, bypassGovernance = false, ...listeners } = optionsOf(emptyBucketOptions, givenOptions)
  const cancelable = signal === undefined ? {} : { signal }
  const tally = new Tally(id, listeners)
  let aborted = 0
  for await (const upload of uploads.list(bucket, cancelable)) {
    if (upload.kind !== 'upload') continue
    await uploads.abort({ bucket, key: upload.key, uploadId: upload.uploadId }, cancelable).catch(unlessGone)
    aborted++
  }
  for await (const { entries } of versions.list(bucket, cancelable).pages()) {
    const targets = entries.flatMap((entry): DeleteTarget[] =>
      entry.kind === 'prefix'
        ? []
        : [{ key: entry.key, versionId: entry.versionId, ...(bypassGovernance && { bypassGovernance }) }],
    )
    await tally.add(await objects.deleteMany(bucket, targets))
  }
  return { ...tally.removal, aborted }
}

/** Another call has ended the upload. */
function unlessGone(error: unknown): void {
  if (!isStorageError(error, 'NoSuchUpload')) throw error
}

type Listeners = Pick<RemovalOptions, 'onProgress' | 'onOutcome'>

class Tally {
  readonly #id: string
  readonly #listeners: Listeners
  readonly #failed: DeleteOutcome[] = []
  #deleted = 0
  #refused = 0

  constructor(id: string, listeners: Listeners) {
    this.#id = id
    this.#listeners = listeners
  }

  /** @throws what a deletion threw, unless the version is locked */
  async add(outcomes: readonly DeleteOutcome[]): Promise<void> {
    for (const outcome of outcomes) {
      if (!('error' in outcome)) this.#deleted++
      else if (!isStorageError(outcome.error, 'AccessDenied')) throw outcome.error
      else if (this.#refused++ < failedMax) this.#failed.push(outcome)
      await this.#listeners.onOutcome?.(outcome)
    }
    this.#listeners.onProgress?.({ done: this.#deleted })
  }

  get removal(): Removal {
    return { id: this.#id, deleted: this.#deleted, failed: this.#failed, refused: this.#refused }
  }
}

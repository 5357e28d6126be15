/** Facts that a handler relied on while it read its request. Its command is refused if one of them has changed. */

import { type Actor, type AnnotatedVersion, isStorageError, type TrackedReads, type SettingKind } from '@varve/core'
import { type Seq, StorageError } from '@varve/core'
import type { BucketAccess } from './decide-access.ts'
import type { JudgedBucket } from './judged-buckets.ts'

/** A version by bucket, key and version id. Without an id: the newest version. */
export interface AssumedVersion {
  readonly bucket: string
  readonly key: string
  readonly versionId?: string | undefined
  /** The version as of a position, which never changes. Absent: now. */
  readonly at?: Seq
}

type AccessField = SettingKind | 'owner' | 'region'

/** The current access settings of a bucket. It records each field that was read, with the event that set it. */
export class AssumedAccess implements BucketAccess {
  readonly #current: () => JudgedBucket
  readonly #read = new Map<AccessField, number | string | undefined>()

  constructor(current: () => JudgedBucket) {
    this.#current = current
  }

  get owner(): Actor {
    return this.#noted('owner').owner
  }
  get region() {
    return this.#noted('region').region
  }
  get policy() {
    return this.#noted('Policy').policy
  }
  get acl() {
    return this.#noted('Acl').acl
  }
  get ownership() {
    return this.#noted('Ownership').ownership
  }
  get publicAccessBlock() {
    return this.#noted('PublicAccessBlock').publicAccessBlock
  }

  /** @throws StorageError `ReadSetChanged` if a field that was read has changed */
  check(bucket: JudgedBucket): void {
    for (const [field, version] of this.#read) if (versionOf(bucket, field) !== version) throw assumptionChanged()
  }

  #noted(field: AccessField): BucketAccess {
    const bucket = this.#current()
    if (!this.#read.has(field)) this.#read.set(field, versionOf(bucket, field))
    return bucket.access
  }
}

function versionOf({ access, settings }: JudgedBucket, field: AccessField) {
  if (field === 'owner') return access.owner.id
  return field === 'region' ? access.region : settings?.[field]
}

/** The current version, or the error if there is none. */
export const readAssumed = (
  reads: Pick<TrackedReads, 'objects'>,
  { bucket, key, versionId }: AssumedVersion,
): Promise<AnnotatedVersion | StorageError> =>
  reads.objects.annotations(bucket, key, versionId === undefined ? {} : { versionId }).catch((error: unknown) => {
    if (isStorageError(error)) return error
    throw error
  })

export const assumptionChanged = (): StorageError =>
  new StorageError('ReadSetChanged', 'What the request acts on has changed while it was under way.')

/** Whether a bucket has room for more, and its owner. */
import { type Soon, whenThere } from '../base/soon.ts'
import { StorageError } from '../base/errors.ts'
import type { BucketQuota, IdentityQuota } from '../settings/quota.ts'
import { ownerSharedTable, ownerUsageTable, usageTable } from '../views/content-tables.ts'
import { identityQuotaTable } from '../views/identity-tables.ts'
import type { Rows } from '../views/row-reader.ts'
import type { BucketRow } from '../views/rows.ts'
import type { OwnerUsageRow, UsageRow } from '../views/usage-rows.ts'
import { noOwnerUsage, noUsage } from '../views/usage.ts'
import type { VersionRow } from '../views/version-row.ts'
import { findSetting } from './find-setting.ts'
import type { NamedBucket } from './read-snapshot.ts'

/** The quota of an identity, and what counts for it. */
export interface OwnerQuotaState {
  readonly quota: IdentityQuota
  /** With `live`, all bytes that count, also those that are shared with buckets of others. */
  readonly used: OwnerUsageRow
}

/** The quota of a bucket and what counts for it, and those of its owner. */
export interface QuotaState {
  readonly quota: BucketQuota
  readonly used: Pick<UsageRow, 'live' | 'shared' | 'shown' | 'versions' | 'uploads'>
  readonly ofOwner: OwnerQuotaState | undefined
}

/** The row of an owner without a quota is not there, and the readers of rows remember that. So nothing more is read. */
export function loadOwnerQuota(rows: Rows, owner: string): Soon<OwnerQuotaState | undefined> {
  return whenThere(rows.get(identityQuotaTable.key(owner)), (quota) => {
    if (quota === undefined) return undefined
    return whenThere(loadOwned(rows, owner), (used) => ({ quota, used }))
  })
}

/** What counts for the quota of an owner. */
export const loadOwned = (rows: Rows, owner: string): Soon<OwnerUsageRow> =>
  whenThere(rows.get(ownerUsageTable.key(owner)), (used = noOwnerUsage) =>
    whenThere(rows.get(ownerSharedTable.key(owner)), (shared) =>
      shared === undefined ? used : { ...used, live: used.live + shared.bytes },
    ),
  )

export function loadQuota(rows: Rows, name: string, bucket: BucketRow | undefined): Soon<QuotaState | undefined> {
  if (bucket === undefined) return undefined
  return whenThere(loadOwnerQuota(rows, bucket.owner.id), (ofOwner) =>
    bucket.settings?.Quota === undefined
      ? ofOwner && { quota: {}, used: noUsage, ofOwner }
      : loadBucketQuota(rows, { name, row: bucket }, ofOwner),
  )
}

async function loadBucketQuota(
  rows: Rows,
  bucket: NamedBucket,
  ofOwner: OwnerQuotaState | undefined,
): Promise<QuotaState> {
  const quota = (await findSetting(rows, bucket, 'Quota')) ?? {}
  return { quota, used: (await rows.get(usageTable.key(bucket.row.incarnation))) ?? noUsage, ofOwner }
}

/** @throws StorageError `QuotaExceeded` if the bucket or its owner has no room for these bytes */
export function checkRoom(state: QuotaState | undefined, bytes: number): void {
  if (state === undefined) return
  const { quota, ofOwner } = state
  const { live, shared = 0, shown = 0 } = state.used
  const used = live + shared + shown
  if (quota.bytes !== undefined && used + bytes > quota.bytes) {
    throw new StorageError('QuotaExceeded', 'The bucket has no room for these bytes: it would exceed its quota.', {
      details: { Quota: quota.bytes, Used: used },
    })
  }
  const limit = ofOwner?.quota.bytes
  if (ofOwner === undefined || limit === undefined || ofOwner.used.live + bytes <= limit) return
  // Others who write into the bucket do not learn what its owner has.
  throw new StorageError(
    'QuotaExceeded',
    'The owner of the bucket has no room for these bytes: all buckets of the owner together would exceed the quota.',
    { details: { Quota: limit } },
  )
}

/** @throws StorageError `TooManyBuckets` if the owner may have no more buckets */
export function checkBucketCount(state: OwnerQuotaState | undefined): void {
  const limit = state?.quota.buckets
  if (state === undefined || limit === undefined || state.used.buckets < limit) return
  throw new StorageError('TooManyBuckets', 'You have attempted to create more buckets than allowed', {
    details: { Quota: limit, Used: state.used.buckets },
  })
}

/** @throws StorageError `QuotaExceeded` for an object that is larger than an object of the bucket may be */
export function checkObjectSize(state: QuotaState | undefined, bytes: number): void {
  const limit = state?.quota.objectBytes
  if (limit === undefined || bytes <= limit) return
  throw new StorageError('QuotaExceeded', 'The object is larger than an object of this bucket may be.', {
    details: { Quota: limit, Size: bytes },
  })
}

/** `replaced`: the version that ends with the write. @throws StorageError `QuotaExceeded` if the bucket may have no more versions */
export function checkObjectCount(
  state: QuotaState | undefined,
  bucket: BucketRow | undefined,
  replaced: VersionRow | undefined,
): void {
  checkVersions(state, versionsAdded(bucket, replaced))
}

/** A write adds a version, unless it replaces one. A fork does not count the versions of its base. */
export function versionsAdded(bucket: BucketRow | undefined, replaced: VersionRow | undefined): 0 | 1 {
  return replaced !== undefined && !replaced.deleteMarker && replaced.seq > (bucket?.incarnation ?? 0) ? 0 : 1
}

/** @throws StorageError `QuotaExceeded` if the bucket may not have so many versions more */
export function checkVersions(state: QuotaState | undefined, added: number): void {
  const { quota: { objects: limit } = {}, used: { versions } = noUsage } = state ?? {}
  if (limit === undefined || added === 0 || versions + added <= limit) return
  throw new StorageError(
    'QuotaExceeded',
    'The bucket may not have more versions of objects, also older ones, by its quota.',
    { details: { Quota: limit, Used: versions } },
  )
}

/** @throws StorageError `QuotaExceeded` if the bucket may have no more uploads in progress */
export function checkUploadCount(state: QuotaState | undefined): void {
  const { quota: { uploads: limit } = {}, used: { uploads } = noUsage } = state ?? {}
  if (limit === undefined || uploads < limit) return
  throw new StorageError('QuotaExceeded', 'The bucket may not have more uploads in progress by its quota.', {
    details: { Quota: limit, Used: uploads },
  })
}

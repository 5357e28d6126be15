/** Whether a bucket has room for more. */
import { StorageError } from '../base/errors.ts'
import type { BucketQuota } from '../settings/quota.ts'
import { usageTable } from '../views/content-tables.ts'
import type { Rows } from '../views/row-reader.ts'
import type { BucketRow, UsageRow } from '../views/rows.ts'
import { noUsage } from '../views/usage.ts'
import type { VersionRow } from '../views/version-row.ts'
import { findSetting } from './find-setting.ts'

/** A quota, and what counts for it. */
export interface QuotaState {
  readonly quota: BucketQuota
  readonly used: Pick<UsageRow, 'live' | 'versions' | 'uploads'>
}

/** Reads nothing for a bucket without a quota. */
export async function loadQuota(
  rows: Rows,
  name: string,
  bucket: BucketRow | undefined,
): Promise<QuotaState | undefined> {
  if (bucket?.settings?.Quota === undefined) return undefined
  const quota = await findSetting(rows, { name, row: bucket }, 'Quota')
  if (quota === undefined) return undefined
  return { quota, used: (await rows.get(usageTable.key(bucket.incarnation))) ?? noUsage }
}

/** @throws StorageError `QuotaExceeded` if the bucket has no room for these bytes */
export function checkRoom(state: QuotaState | undefined, bytes: number): void {
  const { quota: { bytes: limit } = {}, used: { live } = noUsage } = state ?? {}
  if (limit === undefined || live + bytes <= limit) return
  throw new StorageError('QuotaExceeded', 'The bucket has no room for these bytes: it would exceed its quota.', {
    details: { Quota: limit, Used: live },
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
  const { quota: { objects: limit } = {}, used: { versions } = noUsage } = state ?? {}
  if (limit === undefined || versions < limit) return
  // A fork does not count the versions of its base.
  const isCounted = replaced !== undefined && !replaced.deleteMarker && replaced.seq > (bucket?.incarnation ?? 0)
  if (isCounted) return
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

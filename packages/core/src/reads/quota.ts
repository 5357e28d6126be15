/** Whether a bucket has room for more bytes. */
import { StorageError } from '../base/errors.ts'
import type { BucketQuota } from '../settings/quota.ts'
import { usageTable } from '../views/content-tables.ts'
import type { Rows } from '../views/row-reader.ts'
import type { BucketRow } from '../views/rows.ts'
import { findSetting } from './find-setting.ts'

/** A quota, and the bytes that count for it. */
export interface QuotaState {
  readonly quota: BucketQuota
  readonly used: number
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
  const used = quota.bytes === undefined ? 0 : ((await rows.get(usageTable.key(bucket.incarnation)))?.live ?? 0)
  return { quota, used }
}

/** @throws StorageError `QuotaExceeded` if the bucket has no room for these bytes */
export function checkRoom(state: QuotaState | undefined, bytes: number): void {
  const { quota: { bytes: limit } = {}, used = 0 } = state ?? {}
  if (limit === undefined || used + bytes <= limit) return
  throw new StorageError('QuotaExceeded', 'The bucket has no room for these bytes: it would exceed its quota.', {
    details: { Quota: limit, Used: used },
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

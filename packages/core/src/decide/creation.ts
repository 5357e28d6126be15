/** Checks the facts of a new version besides bytes and metadata, and adds the bucket's defaults. */
import { type Soon, whenThere } from '../base/soon.ts'
import type { CreationFacts } from '../events/index.ts'
import { checkObjectTags } from '../settings/check-tags.ts'
import type { ObjectLockConfiguration } from '../settings/object-lock.ts'
import { checkLockable, checkRetention, defaultRetention } from '../settings/retention-rules.ts'
import { checkStorageClass } from '../settings/storage-class.ts'
import type { BucketRow } from '../views/rows.ts'
import type { Rows } from '../views/row-reader.ts'
import { settingTable } from '../views/tables.ts'

/** Reads a row only if the bucket has Object Lock. */
export function loadObjectLock(
  rows: Rows,
  name: string,
  bucket: BucketRow | undefined,
): Soon<ObjectLockConfiguration | undefined> {
  const setBy = bucket?.settings?.ObjectLock
  if (setBy === undefined) return undefined
  return whenThere(rows.get(settingTable.key(name, setBy)), (setting) =>
    setting?.kind === 'ObjectLock' ? setting.value : undefined,
  )
}

/**
 * @throws StorageError `InvalidTag`, `InvalidStorageClass`; `InvalidRequest` for a lock if the bucket has no Object
 * Lock,
 * `InvalidArgument` for a retention that has ended.
 */
export function checkCreation(creation: CreationFacts, bucket: BucketRow, at: number): void {
  const { tags, retention, legalHold, storageClass } = creation
  if (tags !== undefined) checkObjectTags(tags)
  if (storageClass !== undefined) checkStorageClass(storageClass)
  if (retention !== undefined || legalHold !== undefined) checkLockable(bucket)
  if (retention !== undefined) checkRetention(retention, at)
}

/** The bucket's default retention, for a version that requests none. */
export function retentionByDefault(
  { retention }: CreationFacts,
  lock: ObjectLockConfiguration | undefined,
  at: number,
): Pick<CreationFacts, 'retention'> {
  if (retention !== undefined || lock === undefined) return {}
  const byDefault = defaultRetention(lock, at)
  return byDefault === undefined ? {} : { retention: byDefault }
}

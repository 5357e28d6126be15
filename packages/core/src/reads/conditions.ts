/** If-Match and If-None-Match on writes, as in S3: a delete marker counts as no object. */
import type { WriteConditions } from '../commands/command.ts'
import { StorageError } from '../base/errors.ts'
import type { VersionRow } from '../views/version-row.ts'

/** @throws StorageError `PreconditionFailed`, or `NoSuchKey` for If-Match on a missing object. */
export function checkWriteConditions(newest: VersionRow | undefined, conditions: WriteConditions, key: string): void {
  const current = newest?.deleteMarker === false ? newest : undefined
  if (conditions.ifNoneMatch !== undefined && current !== undefined) throw preconditionFailed('If-None-Match')
  if (conditions.ifMatch === undefined) return
  if (current === undefined) throw noSuchKey(key)
  if (conditions.ifMatch !== '*' && conditions.ifMatch !== current.etag) throw preconditionFailed('If-Match')
}

export const hasConditions = (conditions: WriteConditions): boolean =>
  conditions.ifMatch !== undefined || conditions.ifNoneMatch !== undefined

export const preconditionFailed = (condition: string): StorageError =>
  new StorageError('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold', {
    details: { Condition: condition },
  })

export const noSuchVersion = (key: string, version?: string): StorageError =>
  new StorageError(
    'NoSuchVersion',
    `There is no version ${version === undefined ? 'of this id' : JSON.stringify(version)} of the key ${JSON.stringify(key)}.`,
    { details: { Key: key, ...(version !== undefined && { VersionId: version }) } },
  )

export const noSuchKey = (key: string): StorageError =>
  new StorageError('NoSuchKey', `There is no object with the key ${JSON.stringify(key)}.`, { details: { Key: key } })

export const noSuchBucket = (bucket: string): StorageError =>
  new StorageError('NoSuchBucket', `There is no bucket ${JSON.stringify(bucket)}.`, {
    details: { BucketName: bucket },
  })

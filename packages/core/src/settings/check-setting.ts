/** What a bucket must be for a setting, whoever asks: every way to set one comes through here. */
import { StorageError } from '../errors.ts'
import type { VersioningStatus } from '../events/index.ts'
import { checkCors } from './check-cors.ts'
import { checkBucketTags } from './check-tags.ts'
import { checkObjectLockConfiguration } from './retention-rules.ts'
import type { Setting, SettingKind } from './setting.ts'

/** What checks look at. */
interface CheckedBucket {
  readonly versioning?: VersioningStatus | undefined
}

/**
 * @throws StorageError `InvalidBucketState` for Object Lock in a bucket that does not keep versions, `InvalidRetentionPeriod`,
 *   `InvalidTag`; `InvalidRequest` as `checkCors` does.
 */
export function checkSetting(setting: Setting, { versioning }: CheckedBucket): void {
  const { kind, value } = setting
  if (kind === 'Cors') checkCors(value)
  if (kind === 'Tags') checkBucketTags(value)
  if (kind !== 'ObjectLock') return
  checkObjectLockConfiguration(value)
  if (versioning !== 'Enabled') {
    throw new StorageError(
      'InvalidBucketState',
      "Versioning must be 'Enabled' on the bucket to apply a Object Lock configuration",
    )
  }
}

/** @throws StorageError `InvalidRequest` for what stays once it is set. */
export function checkRemoval(kind: SettingKind): void {
  if (kind === 'ObjectLock') throw new StorageError('InvalidRequest', 'Object Lock cannot be taken off a bucket.')
}

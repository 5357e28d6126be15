/** Checks what a setting requires of its bucket. Every way to change a setting uses this. */
import { StorageError } from '../base/errors.ts'
import { checkLifecycle } from './check-lifecycle.ts'
import type { VersioningStatus } from './versioning.ts'
import { checkCors } from './check-cors.ts'
import { checkEncryption } from './check-encryption.ts'
import { checkNotifications } from './check-notifications.ts'
import { checkBucketTags } from './check-tags.ts'
import { checkWebsite } from './check-website.ts'
import { checkQuota } from './quota.ts'
import { checkObjectLockConfiguration } from './retention-rules.ts'
import type { Setting, SettingKind } from './setting.ts'

/** The facts of the bucket that the checks need. */
interface CheckedBucket {
  readonly versioning?: VersioningStatus | undefined
}

/**
 * @throws StorageError `InvalidBucketState` for Object Lock in a bucket without versioning; the errors of the checks of
 *   each kind.
 */
export function checkSetting(setting: Setting, { versioning }: CheckedBucket): void {
  switch (setting.kind) {
    case 'Cors':
      return checkCors(setting.value)
    case 'Encryption':
      return checkEncryption(setting.value)
    case 'Lifecycle':
      return checkLifecycle(setting.value)
    case 'Notifications':
      return checkNotifications(setting.value)
    case 'ObjectLock':
      checkObjectLockConfiguration(setting.value)
      if (versioning === 'Enabled') return
      throw new StorageError(
        'InvalidBucketState',
        "Versioning must be 'Enabled' on the bucket to apply a Object Lock configuration",
      )
    case 'Quota':
      return checkQuota(setting.value)
    case 'Tags':
      return checkBucketTags(setting.value)
    case 'Website':
      return checkWebsite(setting.value)
    default:
  }
}

/** @throws StorageError `InvalidRequest` for a setting that cannot be removed. */
export function checkRemoval(kind: SettingKind): void {
  if (kind === 'ObjectLock') throw new StorageError('InvalidRequest', 'Object Lock cannot be taken off a bucket.')
}

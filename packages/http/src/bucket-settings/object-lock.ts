/** The Object Lock configuration of a bucket. It cannot be removed; only its default retention can change. */
import { objectLockElements, readObjectLockConfiguration } from '../object-lock/object-lock.ts'
import { settingAbsent, settingAnswer, type SettingDocument } from './setting-rows.ts'

export const objectLock: SettingDocument<'ObjectLock'> = {
  kind: 'ObjectLock',
  query: 'object-lock',
  get: { name: 'GetObjectLockConfiguration' },
  // AWS once required a token to lock an existing bucket. It permits nothing that is not permitted here.
  put: { name: 'PutObjectLockConfiguration', understands: ['x-amz-bucket-object-lock-token'] },
  read: (bytes) => readObjectLockConfiguration(bytes),
  write: (configuration, context) =>
    settingAnswer('ObjectLockConfiguration', context, objectLockElements(configuration)),
  absent(context) {
    throw settingAbsent(
      'ObjectLockConfigurationNotFoundError',
      'Object Lock configuration does not exist for this bucket',
      context,
    )
  },
}

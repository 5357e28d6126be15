/** CreateBucket with a source: a fork, which begins with the versions and the settings of that bucket. */

import { aclHeaderNames } from '../policies/permission-rule.ts'
import { S3Error } from '../errors/errors.ts'
import { objectLockEnabledHeader, objectLockEnabledIn } from '../object-lock/lock-in.ts'
import type { BucketContext, Subject } from '../contract/operation.ts'
import type { CreateBucketConfigurationBody } from './create-bucket-configuration.ts'

/**
 * @throws S3Error `InvalidRequest` for settings of its own and for another region; StorageError `NoSuchBucket`,
 *   `ForkTooDeep`, `TooManyForks`, `ForkBeingCleared`, `BucketAlreadyExists`, `BucketAlreadyOwnedByYou`
 */
export async function createFork(
  context: BucketContext,
  { bucket: source, at }: NonNullable<Subject['forkSource']>,
  { locationConstraint = '', tags }: CreateBucketConfigurationBody,
): Promise<void> {
  const {
    bucket,
    store,
    client: { signal },
  } = context
  const setting = settingOf(context) ?? (tags === undefined ? undefined : 'Tags')
  if (setting !== undefined) throw ownSetting(setting)
  const from = at === undefined ? store : await store.at(at)
  if (locationConstraint !== '' && locationConstraint !== (await from.buckets.head(source)).region) {
    throw ownSetting('LocationConstraint')
  }
  await store.buckets.fork(source, bucket, { ...(at !== undefined && { at }), signal })
}

/** The header that gives a new bucket a setting. */
function settingOf({ headers }: BucketContext): string | undefined {
  if (objectLockEnabledIn(headers)) return objectLockEnabledHeader
  return [...aclHeaderNames, 'x-amz-object-ownership'].find((name) => headers.has(name))
}

/** A fork would not have the setting, so an answer of success would be false. */
const ownSetting = (name: string): S3Error =>
  new S3Error(
    'InvalidRequest',
    `A fork begins with the settings and the region of its source, so ${name} has no effect.`,
    {
      details: { ArgumentName: name },
    },
  )

import { isStorageError } from '@varve/core'
import type { Trigger } from '../policies/permission-rule.ts'
import { accessDenied, S3Error } from '../errors/errors.ts'
import { objectLockEnabledIn } from '../object-lock/lock-in.ts'
import { type CreateBucketConfigurationBody, readCreateBucketConfiguration } from './create-bucket-configuration.ts'
import { emptyAnswer } from '../contract/answer.ts'
import { bucketArn } from './bucket-arn.ts'
import { createFork } from './create-fork.ts'
import { regionFor } from './location-constraint.ts'
import { newBucketSettings } from './new-bucket-settings.ts'
import type { BucketContext, BucketOperation } from '../contract/operation.ts'
import { checkWithBody, laterPermissions } from '../contract/permissions.ts'

const bytesMax = 64 * 1024

export const createBucket: BucketOperation = async (context) => {
  const { bucket, body, forkSource } = context
  const configuration = readCreateBucketConfiguration(await body.small(bytesMax))
  const { locationConstraint: constraint = '', tags } = configuration
  await checkWithBody('CreateBucket', context, { 's3:locationconstraint': constraint === '' ? [] : [constraint] })
  if (tags !== undefined) await checkTags(context)
  try {
    await (forkSource === undefined
      ? createNew(context, configuration)
      : createFork(context, forkSource, configuration))
  } catch (error) {
    if (!isOwnAgain(context, error)) throw error
    if (!succeedsAgain(context, configuration)) throw ownAgain(context, error)
  }
  return emptyAnswer(200, { location: locationOf(context, constraint), 'x-amz-bucket-arn': bucketArn(bucket) })
}

async function createNew(
  context: BucketContext,
  { locationConstraint = '', tags }: CreateBucketConfigurationBody,
): Promise<void> {
  const {
    bucket,
    headers,
    store,
    client: { signal },
  } = context
  const region = regionFor(locationConstraint, context)
  const locked = objectLockEnabledIn(headers)
  const settings = { ...newBucketSettings(context), ...(locked && { ObjectLock: {} }), ...(tags && { Tags: tags }) }
  await store.buckets.create(bucket, { region, settings, ...(locked && { versioning: 'Enabled' }), signal })
}

/** Root has all buckets, whoever created them. */
const isOwnAgain = ({ identity }: BucketContext, error: unknown): error is Error =>
  isStorageError(error, 'BucketAlreadyOwnedByYou') ||
  (identity?.root === true && isStorageError(error, 'BucketAlreadyExists'))

/** The existing bucket does not get the tags of the request, nor the versions of its source. */
function succeedsAgain(
  context: BucketContext,
  { locationConstraint = '', tags }: CreateBucketConfigurationBody,
): boolean {
  if (tags !== undefined || context.forkSource !== undefined) return false
  return context.dialect.ownBucketAgainSucceedsIn === regionFor(locationConstraint, context)
}

/** @throws S3Error `AccessDenied` */
async function checkTags(context: BucketContext): Promise<void> {
  const isMeant = (when: Trigger | undefined) => when !== undefined && 'element' in when && when.element === 'Tags'
  for (const permission of laterPermissions('CreateBucket', context, isMeant)) {
    if (!(await context.allows(permission))) throw accessDenied()
  }
}

/** The error for a bucket that the requester already owns. */
function ownAgain({ bucket, dialect }: BucketContext, error: Error): Error {
  if (dialect.ownBucketAgain === 'BucketAlreadyOwnedByYou') {
    if (isStorageError(error, 'BucketAlreadyOwnedByYou')) return error
    return new S3Error('BucketAlreadyOwnedByYou', 'There is a bucket of this name, which you can use as root.', {
      details: { BucketName: bucket },
    })
  }
  return new S3Error(
    'BucketAlreadyExists',
    'There is a bucket of this name already, which you own or can use as root.',
    { details: { BucketName: bucket } },
  )
}

function locationOf({ bucket, dialect, origin }: BucketContext, constraint: string): string {
  if (dialect.createdLocation === 'path' || constraint === '') return `/${bucket}`
  return `${origin.replace('://', `://${bucket}.`)}/`
}

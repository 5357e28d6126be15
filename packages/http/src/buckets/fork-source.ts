/** CreateBucket with `x-varve-fork-source`: the new bucket begins as another one is, or was. */
import { isStorageError, type Moment, parseAsOfName } from '@varve/core'
import { accessDenied, S3Error } from '../errors/errors.ts'
import { aclHeaderNames } from '../policies/permission-rule.ts'
import { emptyAnswer, type Answer } from '../contract/answer.ts'
import type { BucketContext } from '../contract/operation.ts'
import { bucketArn } from './bucket-arn.ts'

export const forkSourceHeader = 'x-varve-fork-source'

/** A fork has the settings of its base. */
const settingHeaders = [...aclHeaderNames, 'x-amz-object-ownership', 'x-amz-bucket-object-lock-enabled']

/**
 * `source`: the name of a bucket, or `BUCKET--at-MOMENT`. Only for root, because the fork belongs to its creator with all that it
 * shows.
 * @throws S3Error `AccessDenied`, `InvalidRequest`; StorageError as `store.buckets.fork`
 */
export async function createFork(context: BucketContext, source: string, hasBody: boolean): Promise<Answer> {
  const { bucket, headers, identity, store, client } = context
  if (identity?.root !== true) throw accessDenied()
  if (hasBody || settingHeaders.some((name) => headers.get(name) !== undefined)) {
    throw new S3Error(
      'InvalidRequest',
      'A fork has the settings and the region of its base: the request must have none.',
    )
  }
  const { from, at } = await baseOf(context, source)
  const { base } = await store.buckets.fork(from, bucket, { ...(at !== undefined && { at }), signal: client.signal })
  return emptyAnswer(200, {
    location: `/${bucket}`,
    'x-amz-bucket-arn': bucketArn(bucket),
    ...(base && { 'x-varve-at': String(base.seq) }),
  })
}

/** A bucket that has the name of a bucket as it was, from an earlier release, is meant itself. */
async function baseOf(
  { store }: BucketContext,
  source: string,
): Promise<{ readonly from: string; readonly at?: Moment }> {
  const past = parseAsOfName(source)
  if (past === undefined || (await exists(store, source))) return { from: source }
  return { from: past.bucket, at: past.moment }
}

async function exists(store: BucketContext['store'], name: string): Promise<boolean> {
  try {
    await store.buckets.head(name)
    return true
  } catch (error) {
    if (isStorageError(error, 'NoSuchBucket', 'InvalidBucketName')) return false
    throw error
  }
}

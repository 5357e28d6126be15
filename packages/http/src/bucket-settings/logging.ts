/** The logging status: where the lines of a bucket's access log are delivered. */
import { isStorageError, type LoggingConfiguration } from '@varve/core'
import { granteeOf } from '../access/grantees.ts'
import { S3Error } from '../errors/errors.ts'
import { type LoggingBody, loggingElements, readBucketLoggingStatus } from './bucket-logging-status.ts'
import type { BucketContext } from '../contract/operation.ts'
import { settingAnswer, type SettingDocument } from './setting-rows.ts'

const root = 'BucketLoggingStatus'

export const logging: SettingDocument<'Logging'> = {
  kind: 'Logging',
  query: 'logging',
  get: { name: 'GetBucketLogging' },
  put: { name: 'PutBucketLogging' },
  async read(bytes, context) {
    const body = readBucketLoggingStatus(bytes)
    if (body === undefined) return undefined
    await checkTarget(body, context)
    return resolved(body, context)
  },
  write: (value, context) =>
    settingAnswer(root, context, loggingElements(value, context.people.nameOf(context.bucketAccess.owner))),
  absent: (context) => settingAnswer(root, context, []),
}

function resolved({ targetGrants, ...body }: LoggingBody, context: BucketContext): LoggingConfiguration {
  const known = [context.bucketAccess.owner.id]
  const grants = targetGrants?.map(({ to, permission }) => ({
    grantee: granteeOf(to, context.people, known),
    permission,
  }))
  const { keyFormat, ...target } = body
  return { ...target, ...(grants && { targetGrants: grants }), ...(keyFormat && { keyFormat }) }
}

/** @throws S3Error for a target that does not exist, has another owner, or is in another region */
async function checkTarget({ targetBucket }: LoggingBody, { store, bucket, client }: BucketContext): Promise<void> {
  const { signal } = client
  const target = await store.buckets.head(targetBucket, { signal }).catch((error: unknown) => {
    if (isStorageError(error, 'NoSuchBucket')) return undefined
    throw error
  })
  if (target === undefined) throw notATarget('The target bucket for logging does not exist', targetBucket)
  const source = await store.buckets.head(bucket, { signal })
  if (target.owner.id !== source.owner.id) {
    const message = 'The owner for the bucket to be logged and the target bucket must be the same.'
    throw notATarget(message, targetBucket)
  }
  if (target.region !== source.region) {
    throw new S3Error('CrossLocationLoggingProhibitted', 'Cross S3 location logging not allowed. ', {
      details: { TargetBucketLocation: target.region },
    })
  }
}

const notATarget = (message: string, target: string): S3Error =>
  new S3Error('InvalidTargetBucketForLogging', message, { details: { TargetBucket: target } })

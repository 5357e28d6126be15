/** The logging status: where the lines of a bucket's access log are delivered. */
import { isStorageError, limits, type LoggingConfiguration } from '@varve/core'
import { logKeyBytes } from '../access-log/log-object-key.ts'
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
    const region = await checkTarget(body, context)
    const target = resolved(body, context)
    checkKeys(target, region, context)
    return target
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

/** @throws S3Error `InvalidArgument` for a prefix with which no line could be delivered: the keys of its objects would be too long */
function checkKeys(
  target: LoggingConfiguration,
  region: string,
  { bucket, bucketAccess: { owner } }: BucketContext,
): void {
  const size = logKeyBytes({ bucket, owner: owner.id, region, target })
  if (size <= limits.keyBytesMax) return
  const message = `Objects of this access log would have keys of ${size} bytes, and a key may have ${limits.keyBytesMax}.`
  throw new S3Error('InvalidArgument', message, { details: { ArgumentName: 'TargetPrefix' } })
}

/** Resolves with the region. @throws S3Error for a target that does not exist, has another owner, or is in another region */
async function checkTarget({ targetBucket }: LoggingBody, { store, bucket, client }: BucketContext): Promise<string> {
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
  return source.region
}

const notATarget = (message: string, target: string): S3Error =>
  new S3Error('InvalidTargetBucketForLogging', message, { details: { TargetBucket: target } })

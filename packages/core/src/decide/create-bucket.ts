import { StorageError } from '../base/errors.ts'
import type { Event } from '../events/index.ts'
import { checkSetting } from '../settings/check-setting.ts'
import { parseAsOfName } from '../moments/as-of-name.ts'
import { checkBucketName } from '../naming/names.ts'
import type { BucketRow } from '../views/rows.ts'
import { bucketTable } from '../views/tables.ts'
import { settingEvent } from './bucket-setting.ts'
import type { Rule } from './rule.ts'

/** @throws `InvalidBucketName`, `BucketAlreadyOwnedByYou`, `BucketAlreadyExists`, and the errors of `checkSetting`. */
export const createBucket: Rule<'CreateBucket', BucketRow | undefined> = {
  load: (rows, { bucket }) => rows.get(bucketTable.key(bucket)),

  decide(existing, { bucket, region, versioning, settings = [] }, { by }) {
    checkBucketName(bucket)
    if (existing === undefined) {
      refuseAsOfName(bucket)
      const created: Event = { type: 'BucketCreated', data: { bucket, owner: by, region } }
      const versioned: readonly Event[] = versioning
        ? [{ type: 'VersioningSet', data: { bucket, status: versioning } }]
        : []
      for (const setting of settings) checkSetting(setting, { versioning })
      return [created, ...versioned, ...settings.map((setting) => settingEvent(bucket, setting))]
    }
    if (existing.owner.id === by.id) {
      throw new StorageError(
        'BucketAlreadyOwnedByYou',
        'Your previous request to create the named bucket succeeded and you already own it.',
        { details: { BucketName: bucket } },
      )
    }
    throw new StorageError(
      'BucketAlreadyExists',
      'The requested bucket name is not available. The bucket namespace is shared by all users of the system.',
      { details: { BucketName: bucket } },
    )
  },
}

/** A bucket that has such a name from an earlier release keeps it. */
function refuseAsOfName(bucket: string): void {
  if (parseAsOfName(bucket) === undefined) return
  throw new StorageError('InvalidBucketName', `Names like ${bucket} mean another bucket as it was.`, {
    details: { BucketName: bucket },
  })
}

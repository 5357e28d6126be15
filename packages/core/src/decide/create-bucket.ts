import type { Event } from '../events/index.ts'
import { checkSetting } from '../settings/check-setting.ts'
import { droppedTable } from '../views/fork-tables.ts'
import { bucketTable } from '../views/tables.ts'
import { settingEvent } from './bucket-setting.ts'
import { checkNewBucket, type NameState } from './new-bucket.ts'
import type { Rule } from './rule.ts'

/** @throws as `checkNewBucket`, and the errors of `checkSetting`. */
export const createBucket: Rule<'CreateBucket', NameState> = {
  load: async (rows, { bucket }) => ({
    existing: await rows.get(bucketTable.key(bucket)),
    isBeingCleared: (await rows.get(droppedTable.key(bucket))) !== undefined,
  }),

  decide(name, { bucket, region, versioning, settings = [] }, { by }) {
    checkNewBucket(name, bucket, by)
    const created: Event = { type: 'BucketCreated', data: { bucket, owner: by, region } }
    const versioned: readonly Event[] = versioning
      ? [{ type: 'VersioningSet', data: { bucket, status: versioning } }]
      : []
    for (const setting of settings) checkSetting(setting, { versioning })
    return [created, ...versioned, ...settings.map((setting) => settingEvent(bucket, setting))]
  },
}

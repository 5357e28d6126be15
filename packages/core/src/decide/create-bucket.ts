import type { Event } from '../events/index.ts'
import { checkSetting } from '../settings/check-setting.ts'
import { settingEvent } from './bucket-setting.ts'
import { checkNewBucket, loadNewBucket, type NewBucketState } from './new-bucket.ts'
import type { Rule } from './rule.ts'

/** @throws as `checkNewBucket`, and the errors of `checkSetting`. */
export const createBucket: Rule<'CreateBucket', NewBucketState> = {
  load: (rows, { bucket, owner }, _hashing, { by }) => loadNewBucket(rows, bucket, owner ?? by),

  decide(state, { bucket, region, versioning, settings = [], owner: given }, { by }) {
    const owner = given ?? by
    checkNewBucket(state, bucket, owner)
    const created: Event = { type: 'BucketCreated', data: { bucket, owner, region } }
    const versioned: readonly Event[] = versioning
      ? [{ type: 'VersioningSet', data: { bucket, status: versioning } }]
      : []
    for (const setting of settings) checkSetting(setting, { versioning })
    return [created, ...versioned, ...settings.map((setting) => settingEvent(bucket, setting))]
  },
}

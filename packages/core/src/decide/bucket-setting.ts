import type { CommandShapes } from '../commands/command.ts'
import type { Event } from '../events/index.ts'
import { checkRemoval, checkSetting } from '../settings/check-setting.ts'
import { type Setting, settingEventType } from '../settings/setting.ts'
import type { BucketRow, SettingRow } from '../views/rows.ts'
import { bucketTable, settingTable } from '../views/tables.ts'
import type { Rows } from '../views/row-reader.ts'
import { noSuchBucket } from '../reads/conditions.ts'
import type { Rule } from './rule.ts'

interface State {
  readonly bucket: BucketRow | undefined
  /** The bucket's current setting of this kind. */
  readonly existing: SettingRow | undefined
}

/** A setting that does not change causes no event. @throws `NoSuchBucket`, and the errors of `checkSetting`. */
export const putBucketSetting: Rule<'PutBucketSetting', State> = {
  load: (rows, { bucket, setting: { kind } }) => load(rows, bucket, kind),

  decide({ bucket, existing }, { bucket: name, setting }) {
    if (bucket === undefined) throw noSuchBucket(name)
    checkSetting(setting, bucket)
    return existing !== undefined && isSame(existing, setting) ? [] : [settingEvent(name, setting)]
  },
}

/** Removing an absent setting is no error. @throws `NoSuchBucket`, and the errors of `checkRemoval`. */
export const deleteBucketSetting: Rule<'DeleteBucketSetting', State> = {
  load: (rows, { bucket, kind }) => load(rows, bucket, kind),

  decide({ bucket, existing }, { bucket: name, kind }) {
    if (bucket === undefined) throw noSuchBucket(name)
    checkRemoval(kind)
    return existing === undefined ? [] : [{ type: 'BucketSettingRemoved', data: { bucket: name, kind } }]
  },
}

/** The kind determines the type of the event, which TypeScript cannot infer. */
export const settingEvent = (bucket: string, { kind, value }: Setting): Event =>
  ({ type: settingEventType(kind), data: { bucket, value } }) as Event

async function load(rows: Rows, name: string, kind: CommandShapes['DeleteBucketSetting']['kind']): Promise<State> {
  const bucket = await rows.get(bucketTable.key(name))
  const setBy = bucket?.settings?.[kind]
  return { bucket, existing: setBy === undefined ? undefined : await rows.get(settingTable.key(name, setBy)) }
}

const isSame = (a: Setting, b: Setting): boolean => JSON.stringify(a.value) === JSON.stringify(b.value)

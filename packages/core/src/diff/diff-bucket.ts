/** What two states of a bucket differ in besides its objects. */
import type { BucketChange, SettingDifference } from '../api/types/index.ts'
import { isSameJson } from '../schema/same-json.ts'
import { type SettingKind, settingKinds } from '../settings/setting.ts'
import type { BucketState, TwoStates } from './two-states.ts'

export function bucketChange([before, after]: TwoStates): BucketChange | undefined {
  if (before.row === undefined) return after.row && 'created'
  if (after.row === undefined) return 'deleted'
  return before.row.incarnation === after.row.incarnation ? undefined : 'recreated'
}

/** In alphabetical order, and versioning last. */
export async function diffSettings([before, after]: TwoStates, name: string): Promise<readonly SettingDifference[]> {
  const found: object[] = []
  for (const kind of settingKinds) {
    if (before.row?.settings?.[kind] === after.row?.settings?.[kind]) continue
    const values = [await settingIn(before, name, kind), await settingIn(after, name, kind)] as const
    if (!isSameJson(...values)) found.push(difference(kind, values))
  }
  const versioning = [before.row?.versioning, after.row?.versioning] as const
  if (versioning[0] !== versioning[1]) found.push(difference('Versioning', versioning))
  return found as SettingDifference[]
}

async function settingIn({ snapshot, row }: BucketState, name: string, kind: SettingKind): Promise<unknown> {
  return row && snapshot.setting({ name, row }, kind)
}

const difference = (setting: string, [before, after]: readonly [unknown, unknown]) => ({
  setting,
  ...(before !== undefined && { before }),
  ...(after !== undefined && { after }),
})

/** Plans what undoes the chosen events of a bucket itself, and of its settings. */
import type { UndoneSetting } from '../api/types/index.ts'
import type { Seq } from '../ports/index.ts'
import type { Setting, SettingKind } from '../settings/setting.ts'
import { isSameJson } from '../schema/same-json.ts'
import type { ReadSnapshot } from '../reads/read-snapshot.ts'
import type { BucketRow, Past } from '../views/rows.ts'
import { bucketTable, settingTable } from '../views/tables.ts'
import type { Planning } from './planning.ts'
import type { BucketStep, Others, TouchedBucket, TouchedSetting } from './touched-places.ts'

export async function planBucket(planning: Planning, touched: TouchedBucket): Promise<void> {
  const { bucket } = touched
  const [first] = await planning.usable(touched, { bucket }, (others) => planning.isSameBucket(bucket, others))
  if (first === undefined) return
  const before = await planning.before(first.seq).bucket(bucket)
  const live = await planning.rows.get(bucketTable.key(bucket))
  if (before === undefined) return planDeletion(planning, bucket, { live, first })
  if (live?.incarnation === before.incarnation) return
  const newest = bucketTable.pastFrom(bucket, Number.MAX_SAFE_INTEGER)
  const past = (await planning.rows.first<Past<BucketRow>>(newest))?.row
  if (live !== undefined || past?.incarnation !== before.incarnation || past.dropped) {
    planning.conflicts.push({ bucket, reason: 'bucket' })
    return
  }
  const { until: deleted, ...row } = past
  planning.restored.set(bucket, row)
  planning.changes.push({
    command: { type: 'RestoreBucket', data: { bucket, deleted } },
    entry: { kind: 'bucket', bucket, action: 'restore' },
  })
}

/** A fork shows its base, so only `drop` undoes its creation. One that came back had been deleted, so it was empty. */
function planDeletion(
  planning: Planning,
  bucket: string,
  { live, first }: { readonly live: BucketRow | undefined; readonly first: BucketStep },
): void {
  if (live?.base !== undefined && first.type === 'BucketForked') planning.conflicts.push({ bucket, reason: 'bucket' })
  else if (live !== undefined) planning.deleted.set(bucket, live.incarnation)
}

interface Place {
  readonly bucket: string
  readonly now: BucketRow
  /** The bucket before the first step. */
  readonly earlier: BucketRow
  readonly snapshot: ReadSnapshot
}

export async function planSetting(planning: Planning, touched: TouchedSetting): Promise<void> {
  const { bucket, kind: setting } = touched
  const [first] = await planning.usable(touched, { bucket, setting }, (others) =>
    isSameValue(planning, { bucket, setting }, others),
  )
  if (first === undefined || planning.deleted.has(bucket)) return
  const now = await planning.bucketNow(bucket)
  const snapshot = planning.before(first.seq)
  const earlier = await snapshot.bucket(bucket)
  if (now === undefined || earlier?.incarnation !== now.incarnation) {
    planning.conflicts.push({ bucket, setting, reason: 'bucket' })
    return
  }
  const place = { bucket, now, earlier, snapshot }
  if (setting === 'Versioning') planVersioning(planning, first, place)
  // Object Lock cannot be turned off.
  else if (setting === 'ObjectLock') planning.leave(first.type)
  else await planValue(planning, setting, place)
}

/** Whether a setting has the same value after some events as before them. */
async function isSameValue(
  planning: Planning,
  { bucket, setting }: Pick<UndoneSetting, 'bucket' | 'setting'>,
  { first, last }: Others,
): Promise<boolean> {
  const valueBefore = async (seq: Seq): Promise<unknown> => {
    const snapshot = planning.before(seq)
    const row = await snapshot.bucket(bucket)
    if (row === undefined || setting === 'Versioning') return row?.versioning
    return snapshot.setting({ name: bucket, row }, setting)
  }
  return isSameJson(await valueBefore(first), await valueBefore(last.seq + 1))
}

async function planValue(
  planning: Planning,
  setting: SettingKind,
  { bucket, now, earlier, snapshot }: Place,
): Promise<void> {
  const value: unknown = await snapshot.setting({ name: bucket, row: earlier }, setting)
  const setBy = now.settings?.[setting] ?? null
  const present = setBy === null ? undefined : (await planning.rows.get(settingTable.key(bucket, setBy)))?.value
  if (isSameJson(value, present)) return
  const before = value === undefined ? {} : { before: { kind: setting, value } as Setting }
  const { incarnation } = now
  planning.changes.push({
    command: { type: 'RevertSetting', data: { bucket, incarnation, kind: setting, setBy, ...before } },
    entry: { kind: 'setting', bucket, setting, ...(value !== undefined && { value }) },
  })
}

function planVersioning(planning: Planning, { type }: BucketStep, { bucket, now, earlier }: Place): void {
  const { incarnation, versioning: from } = now
  const { versioning: status } = earlier
  if (from === status || from === undefined) return
  // Versioning that was set once can be suspended, and not be unset.
  if (status === undefined) return planning.leave(type)
  planning.changes.push({
    command: { type: 'RevertVersioning', data: { bucket, incarnation, from, status } },
    entry: { kind: 'setting', bucket, setting: 'Versioning', value: status },
  })
}

/** Plans what a restore does to the bucket itself: it takes a deleted one back, and gives it the settings of then. */
import type { RestoredSetting } from '../api/types/index.ts'
import type { RevertingCommand } from '../commands/command.ts'
import { StorageError } from '../base/errors.ts'
import { diffSettings } from '../diff/diff-bucket.ts'
import type { BucketState, TwoStates } from '../diff/two-states.ts'
import type { Seq } from '../ports/index.ts'
import { noSuchBucket } from '../reads/conditions.ts'
import type { Setting, SettingKind } from '../settings/setting.ts'
import type { Rows } from '../views/row-reader.ts'
import type { BucketRow, Past } from '../views/rows.ts'
import { bucketTable } from '../views/tables.ts'

export type BucketCommand = RevertingCommand<'RestoreBucket' | 'RevertSetting' | 'RevertVersioning'>

export interface BucketPlan {
  readonly commands: readonly BucketCommand[]
  readonly settings: readonly RestoredSetting[]
  /** What differs and cannot be put back. */
  readonly left: readonly RestoredSetting['setting'][]
}

/**
 * The bucket that the objects are restored into. If it was deleted, it is the bucket of then as it was when it was
 * deleted, which holds no object.
 * @throws StorageError `NoSuchBucket` if there was none then, or there is none now and it may not come back
 */
export async function bucketNow(
  rows: Rows,
  [then, now]: TwoStates,
  { bucket, deletedBucket }: { readonly bucket: string; readonly deletedBucket: boolean },
): Promise<{ readonly state: BucketState & { readonly row: BucketRow }; readonly deleted?: Seq }> {
  if (then.row === undefined) throw noSuchBucket(bucket)
  if (now.row !== undefined) return { state: { ...now, row: now.row } }
  if (!deletedBucket) throw isDeleted(bucket)
  const { until: deleted, ...row } = await lastOf(rows, bucket, then.row.incarnation)
  return { state: { ...now, row }, deleted }
}

const isDeleted = (bucket: string): StorageError =>
  new StorageError('NoSuchBucket', 'The bucket was deleted.', {
    hint: 'Take it back with `deletedBucket`, or with `varve restore --deleted-bucket`.',
    details: { BucketName: bucket },
  })

/** The bucket as it was when it was deleted. Others of its name may have come and gone since. */
async function lastOf(rows: Rows, bucket: string, incarnation: Seq): Promise<Past<BucketRow>> {
  for (let at = Number.MAX_SAFE_INTEGER; ; ) {
    const found = await rows.first<Past<BucketRow>>(bucketTable.pastFrom(bucket, at))
    if (found === undefined) throw noSuchBucket(bucket)
    if (found.row.incarnation === incarnation) return found.row
    at = found.row.since - 1
  }
}

/** `settings`: whether the settings of then come back too. */
export async function planBucket(
  [then, now]: readonly [BucketState, BucketState & { readonly row: BucketRow }],
  {
    bucket,
    deleted,
    settings,
  }: { readonly bucket: string; readonly deleted: Seq | undefined; readonly settings: boolean },
): Promise<BucketPlan> {
  const commands: BucketCommand[] = []
  const planned: RestoredSetting[] = []
  const left: RestoredSetting['setting'][] = []
  if (deleted !== undefined) commands.push({ type: 'RestoreBucket', data: { bucket, deleted } })
  for (const { setting, before: value } of settings ? await diffSettings([then, now], bucket) : []) {
    const command = settingCommand(bucket, now.row, { setting, value })
    if (command === undefined) {
      left.push(setting)
      continue
    }
    commands.push(command)
    planned.push({ setting, ...(value !== undefined && { value }) })
  }
  return { commands, settings: planned, left }
}

/** `undefined` if the setting cannot be put back. */
function settingCommand(
  bucket: string,
  { incarnation, versioning: from, settings }: BucketRow,
  { setting, value }: RestoredSetting,
): BucketCommand | undefined {
  // Object Lock cannot be turned off, and needs versions.
  if (setting === 'ObjectLock') return undefined
  if (setting !== 'Versioning') {
    const before = value === undefined ? {} : { before: { kind: setting, value } as Setting }
    const setBy = settings?.[setting as SettingKind] ?? null
    return { type: 'RevertSetting', data: { bucket, incarnation, kind: setting, setBy, ...before } }
  }
  // Versioning that was set once can be suspended, and not be unset.
  const isPossible = value === 'Enabled' || (value === 'Suspended' && settings?.ObjectLock === undefined)
  return isPossible ? { type: 'RevertVersioning', data: { bucket, incarnation, from, status: value } } : undefined
}

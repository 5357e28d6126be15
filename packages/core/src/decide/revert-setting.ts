/** Sets a setting, or the versioning, of a bucket to what it was. */
import type { StorageError } from '../base/errors.ts'
import type { Cause, Event } from '../events/index.ts'
import type { BucketRow } from '../views/rows.ts'
import { bucketTable } from '../views/tables.ts'
import { settingEvent } from './bucket-setting.ts'
import { conflictOf } from './conflict-of.ts'
import type { Rule } from './rule.ts'

const changedSince = (cause: Cause, name: string): StorageError =>
  conflictOf(cause, `The settings of the bucket were changed since the ${cause.kind} was planned.`, {
    BucketName: name,
  })

/** @throws `UndoConflict` or `RestoreConflict`, unless conflicts are skipped */
export const revertSetting: Rule<'RevertSetting', BucketRow | undefined> = {
  load: (rows, { bucket }) => rows.get(bucketTable.key(bucket)),

  decide(bucket, { bucket: name, incarnation, kind, setBy, before, cause, skips }) {
    const present = bucket?.settings?.[kind] ?? null
    if (bucket?.incarnation !== incarnation || present !== setBy) {
      if (skips) return []
      throw changedSince(cause, name)
    }
    if (before === undefined) return [{ type: 'BucketSettingRemoved', data: { bucket: name, kind, cause } }]
    const { type, data } = settingEvent(name, before)
    return [{ type, data: { ...data, cause } } as Event]
  },
}

/** @throws `UndoConflict` or `RestoreConflict`, unless conflicts are skipped */
export const revertVersioning: Rule<'RevertVersioning', BucketRow | undefined> = {
  load: (rows, { bucket }) => rows.get(bucketTable.key(bucket)),

  decide(bucket, { bucket: name, incarnation, from, status, cause, skips }) {
    // Object Lock needs versions.
    const isAllowed = status === 'Enabled' || bucket?.settings?.ObjectLock === undefined
    if (bucket?.incarnation === incarnation && bucket.versioning === from && isAllowed)
      return [{ type: 'VersioningSet', data: { bucket: name, status, cause } }]
    if (skips) return []
    throw changedSince(cause, name)
  },
}

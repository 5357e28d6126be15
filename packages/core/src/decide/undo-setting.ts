/** Sets a setting, or the versioning, of a bucket to what it was before chosen events. */
import type { Cause, Event } from '../events/index.ts'
import type { BucketRow } from '../views/rows.ts'
import { bucketTable } from '../views/tables.ts'
import { settingEvent } from './bucket-setting.ts'
import type { Rule } from './rule.ts'
import { undoConflict } from './undo-conflict.ts'

const changedSince = (name: string) =>
  undoConflict('The settings of the bucket were changed since the undo was planned.', { BucketName: name })

/** @throws `UndoConflict`, unless conflicts are skipped */
export const undoSetting: Rule<'UndoSetting', BucketRow | undefined> = {
  load: (rows, { bucket }) => rows.get(bucketTable.key(bucket)),

  decide(bucket, { bucket: name, incarnation, kind, setBy, before, id, to, skips }) {
    const cause: Cause = { kind: 'undo', id, to }
    const present = bucket?.settings?.[kind] ?? null
    if (bucket?.incarnation !== incarnation || present !== setBy) {
      if (skips) return []
      throw changedSince(name)
    }
    if (before === undefined) return [{ type: 'BucketSettingRemoved', data: { bucket: name, kind, cause } }]
    const { type, data } = settingEvent(name, before)
    return [{ type, data: { ...data, cause } } as Event]
  },
}

/** @throws `UndoConflict`, unless conflicts are skipped */
export const undoVersioning: Rule<'UndoVersioning', BucketRow | undefined> = {
  load: (rows, { bucket }) => rows.get(bucketTable.key(bucket)),

  decide(bucket, { bucket: name, incarnation, from, status, id, to, skips }) {
    // Object Lock needs versions.
    const isAllowed = status === 'Enabled' || bucket?.settings?.ObjectLock === undefined
    if (bucket?.incarnation === incarnation && bucket.versioning === from && isAllowed)
      return [{ type: 'VersioningSet', data: { bucket: name, status, cause: { kind: 'undo', id, to } } }]
    if (skips) return []
    throw changedSince(name)
  },
}

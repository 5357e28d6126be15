import { StorageError } from '../base/errors.ts'
import { checkKey } from '../naming/names.ts'
import { annotationsIn } from '../reads/annotations.ts'
import { findNewest, findOlder, findVersion } from '../views/find-version.ts'
import type { Annotations } from '../settings/annotation.ts'
import { checkRemovable } from '../settings/retention-rules.ts'
import type { BucketRow } from '../views/rows.ts'
import type { VersionRow } from '../views/version-row.ts'
import type { Rows } from '../views/row-reader.ts'
import { bucketTable } from '../views/tables.ts'
import { checkWriteConditions, noSuchBucket } from '../reads/conditions.ts'
import type { Rule } from './rule.ts'

interface State {
  readonly bucket: BucketRow | undefined
  readonly target: VersionRow | undefined
  readonly newest: VersionRow | undefined
  readonly older: VersionRow | undefined
  /** The annotations of the target, which may lock it. */
  readonly annotations: Annotations
}

/**
 * Permanently removes one version or delete marker; a missing one is no error. The next older one becomes the newest.
 * @throws `NoSuchBucket`, `PreconditionFailed`, `AccessDenied` for a locked version, `InvalidArgument` for a version id
 * other than `null` in a bucket that was never versioned.
 */
export const deleteObjectVersion: Rule<'DeleteObjectVersion', State> = {
  async load(rows, { bucket: name, key, version }) {
    const bucket = await rows.get(bucketTable.key(name))
    const target = await findVersion(rows, name, key, version)
    if (bucket === undefined || target === undefined)
      return { bucket, target, newest: undefined, older: undefined, annotations: {} }
    const newest = await findNewest(rows, name, key)
    const older = newest?.seq === target.seq ? await findOlder(rows, name, key, target.seq) : undefined
    return {
      bucket,
      target,
      newest,
      older,
      annotations: await loadLocks(rows, bucket, { bucket: name, key, row: target }),
    }
  },

  decide({ bucket, target, newest, older, annotations }, command, _meta, { locks }) {
    const { bucket: name, key, version, ifMatch, onlyIf, bypassGovernance = false } = command
    checkKey(key)
    if (bucket === undefined) throw noSuchBucket(name)
    if (bucket.versioning === undefined && version !== null) {
      throw new StorageError('InvalidArgument', 'Invalid version id specified', {
        details: { ArgumentName: 'versionId' },
      })
    }
    if (ifMatch !== undefined) checkWriteConditions(target, { ifMatch }, key)
    if (target === undefined) return []
    if (onlyIf !== undefined && !stillIs(onlyIf, target, { newest, older })) return []
    checkRemovable(annotations, { bypassGovernance, locks })
    const promotes = older && { promotes: older.seq }
    const { seq, deleteMarker } = target
    return [{ type: 'VersionRemoved', data: { bucket: name, key, version: seq, deleteMarker, ...promotes } }]
  },
}

/** Without Object Lock in the bucket nothing is locked, and delete markers are never locked. */
async function loadLocks(
  rows: Rows,
  bucket: BucketRow,
  { row, ...place }: { readonly bucket: string; readonly key: string; readonly row: VersionRow },
): Promise<Annotations> {
  if (row.deleteMarker || bucket.settings?.ObjectLock === undefined) return {}
  return annotationsIn(rows, bucket, { ...place, row })
}

function stillIs(
  what: 'noncurrent' | 'lone-marker',
  target: VersionRow,
  { newest, older }: Pick<State, 'newest' | 'older'>,
): boolean {
  const isNewest = newest?.seq === target.seq
  return what === 'noncurrent' ? !isNewest : isNewest && target.deleteMarker && older === undefined
}

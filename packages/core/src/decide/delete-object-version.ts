import { StorageError } from '../errors.ts'
import { checkKey } from '../names.ts'
import { findNewest, findOlder, findVersion } from '../reads/find-version.ts'
import type { BucketRow, VersionRow } from '../views/rows.ts'
import { bucketTable } from '../views/tables.ts'
import { checkWriteConditions, noSuchBucket } from './conditions.ts'
import type { Rule } from './rule.ts'

interface State {
  readonly bucket: BucketRow | undefined
  readonly target: VersionRow | undefined
  readonly newest: VersionRow | undefined
  readonly older: VersionRow | undefined
}

/**
 * One version or delete marker goes for good; naming one that is not there is no error. The next older one becomes
 * the newest. @throws `NoSuchBucket`, `PreconditionFailed`, `InvalidArgument` for a real id in a bucket that was
 * never versioned.
 */
export const deleteObjectVersion: Rule<'DeleteObjectVersion', State> = {
  async load(rows, { bucket: name, key, version }) {
    const bucket = await rows.get(bucketTable.key(name))
    const target = await findVersion(rows, name, key, version)
    if (target === undefined) return { bucket, target, newest: undefined, older: undefined }
    const newest = await findNewest(rows, name, key)
    const older = newest?.seq === target.seq ? await findOlder(rows, name, key, target.seq) : undefined
    return { bucket, target, newest, older }
  },

  decide({ bucket, target, older }, { bucket: name, key, version, ifMatch }) {
    checkKey(key)
    if (bucket === undefined) throw noSuchBucket(name)
    if (bucket.versioning === undefined && version !== null) {
      throw new StorageError('InvalidArgument', 'Invalid version id specified', {
        details: { ArgumentName: 'versionId' },
      })
    }
    if (ifMatch !== undefined) checkWriteConditions(target, { ifMatch }, key)
    if (target === undefined) return []
    const promotes = older && { promotes: older.seq }
    const { seq, deleteMarker } = target
    return [{ type: 'VersionRemoved', data: { bucket: name, key, version: seq, deleteMarker, ...promotes } }]
  },
}

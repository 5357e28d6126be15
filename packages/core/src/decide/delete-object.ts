import { checkKey } from '../naming/names.ts'
import { findNewest, findReplaced } from '../views/find-version.ts'
import type { BucketRow } from '../views/rows.ts'
import type { VersionRow } from '../views/version-row.ts'
import { bucketTable } from '../views/tables.ts'
import { checkWriteConditions, noSuchBucket } from '../reads/conditions.ts'
import type { Rule } from './rule.ts'

interface State {
  readonly bucket: BucketRow | undefined
  readonly newest: VersionRow | undefined
  readonly nullVersion: VersionRow | undefined
}

/**
 * Deletes by key only. Versioning never set: removes the object permanently. Enabled: adds a delete marker, even if the
 * key never existed. Suspended: adds a null delete marker, which replaces the null version if there is one.
 * @throws `NoSuchBucket`, `PreconditionFailed`, `NoSuchKey` (If-Match on an absent object).
 */
export const deleteObject: Rule<'DeleteObject', State> = {
  async load(rows, { bucket: name, key, ifMatch, onlyIfNewest }) {
    const bucket = await rows.get(bucketTable.key(name))
    return {
      bucket,
      newest: ifMatch === undefined && onlyIfNewest === undefined ? undefined : await findNewest(rows, name, key),
      nullVersion: await findReplaced(rows, bucket, name, key),
    }
  },

  decide({ bucket, newest, nullVersion }, { bucket: name, key, ifMatch, onlyIfNewest }) {
    checkKey(key)
    if (bucket === undefined) throw noSuchBucket(name)
    if (onlyIfNewest !== undefined && newest?.seq !== onlyIfNewest) return []
    if (ifMatch !== undefined) checkWriteConditions(newest, { ifMatch }, key)
    if (bucket.versioning === undefined) {
      if (nullVersion === undefined) return []
      return [{ type: 'VersionRemoved', data: { bucket: name, key, version: nullVersion.seq, deleteMarker: false } }]
    }
    const replaces = nullVersion && { replaces: nullVersion.seq }
    const marker = { bucket: name, key, nullVersion: bucket.versioning === 'Suspended', ...replaces }
    return [{ type: 'DeleteMarkerAdded', data: marker }]
  },
}

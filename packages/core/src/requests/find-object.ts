/** Finds the version that a client names, or throws the error that S3 defines for it. */
import { type Soon, whenThere } from '../base/soon.ts'
import { noSuchBucket, noSuchKey, noSuchVersion } from '../reads/conditions.ts'
import { StorageError } from '../base/errors.ts'
import type { Expiration } from '../lifecycle/expiration.ts'
import type { ReadSnapshot } from '../reads/read-snapshot.ts'
import type { Annotations } from '../settings/annotation.ts'
import { parseVersionId, versionId } from '../naming/version-id.ts'
import type { BucketRow } from '../views/rows.ts'
import type { DeleteMarkerRow, ObjectVersionRow } from '../views/version-row.ts'
import { checkKey } from '../naming/names.ts'

export interface FoundObject {
  readonly bucket: BucketRow
  readonly row: ObjectVersionRow
  /** The annotations of the version. */
  readonly annotations: Annotations
  /** The expiration by the bucket's rules, if the caller asked for it. */
  readonly expiration?: Expiration
}

/**
 * @throws StorageError `NoSuchBucket`, `NoSuchKey` (with `DeleteMarker` and `VersionId` when a delete marker is
 * current), `NoSuchVersion`, `MethodNotAllowed` for a delete marker named by its id, `InvalidArgument` for a malformed
 * id.
 */
export function findObject(snapshot: ReadSnapshot, bucket: string, key: string, id?: string): Soon<FoundObject> {
  checkKey(key)
  return whenThere(snapshot.bucket(bucket), (found) => {
    if (found === undefined) throw noSuchBucket(bucket)
    const finding =
      id === undefined ? findCurrent(snapshot, bucket, key) : findById(snapshot, { bucket, key, id }, found)
    return whenThere(finding, (row) =>
      whenThere(snapshot.annotations(found, { bucket, key, row }), (annotations) => ({
        bucket: found,
        row,
        annotations,
      })),
    )
  })
}

const findCurrent = (snapshot: ReadSnapshot, bucket: string, key: string): Soon<ObjectVersionRow> =>
  whenThere(snapshot.newest(bucket, key), (row) => {
    if (row === undefined) throw noSuchKey(key)
    if (row.deleteMarker) throw markerIsCurrent(key, row)
    return row
  })

async function findById(
  snapshot: ReadSnapshot,
  { bucket, key, id }: { readonly bucket: string; readonly key: string; readonly id: string },
  found: BucketRow,
): Promise<ObjectVersionRow> {
  const version = parseVersionId(id)
  if (version !== null && found.versioning === undefined) {
    throw new StorageError('InvalidArgument', 'Invalid version id specified', {
      details: { ArgumentName: 'versionId', ArgumentValue: id },
    })
  }
  const row = await snapshot.version(bucket, key, version)
  if (row === undefined) {
    throw noSuchVersion(key, id)
  }
  if (row.deleteMarker) throw isMarker(row)
  return row
}

function markerIsCurrent(key: string, row: DeleteMarkerRow): StorageError {
  const { message, details } = noSuchKey(key)
  return new StorageError('NoSuchKey', message, {
    details: { ...details, DeleteMarker: true, VersionId: versionId(row) },
  })
}

const isMarker = (row: DeleteMarkerRow): StorageError =>
  new StorageError('MethodNotAllowed', 'The specified method is not allowed against this resource.', {
    details: {
      DeleteMarker: true,
      VersionId: versionId(row),
      LastModified: new Date(row.at).toISOString(),
      ResourceType: 'DeleteMarker',
      Method: 'GET',
    },
  })

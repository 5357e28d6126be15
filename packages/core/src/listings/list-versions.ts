import { noSuchBucket } from '../reads/conditions.ts'
import { StorageError } from '../base/errors.ts'
import type { KeyedVersion, ReadSnapshot, StartPlace } from '../reads/read-snapshot.ts'
import { commonPrefix, rollUp, wantedRows } from '../reads/roll-up.ts'
import { parseVersionId, versionId } from '../naming/version-id.ts'
import { isOfBranch } from '../views/epochs.ts'
import { listedMarker, listedVersion } from './listed-version.ts'
import { pageLimit } from '../reads/page-limit.ts'
import type { VersionPage, VersionPageOptions } from '../api/types/index.ts'

/**
 * One page of versions and delete markers, in the order of the keys' bytes, the newest version of a key first.
 * @throws StorageError `NoSuchBucket`, `InvalidArgument` for a version id marker that is malformed or has no key
 * marker.
 */
export async function listVersions(
  snapshot: ReadSnapshot,
  bucket: string,
  options: VersionPageOptions,
): Promise<VersionPage> {
  const { prefix = '', delimiter = '', signal } = options
  signal?.throwIfAborted()
  const limit = pageLimit(options.limit)
  if ((await snapshot.bucket(bucket)) === undefined) throw noSuchBucket(bucket)
  const start = await startPlace(snapshot, bucket, options)
  const walk = snapshot.versions(bucket, prefix, start, wantedRows({ delimiter, limit }))
  try {
    const over = start && options.markers !== 'inclusive' ? commonPrefix(start.key, { prefix, delimiter }) : undefined
    if (over !== undefined) walk.skipPrefix(over)
    const isLatest = await latestMarks(snapshot, bucket, start)
    const { entries, next } = await rollUp(walk, { prefix, delimiter, limit }, (found) =>
      describe(found, isLatest(found)),
    )
    if (next === undefined) return { entries, isTruncated: false }
    const last = entries.at(-1)
    return {
      entries,
      isTruncated: true,
      next: { key: next.key, versionId: versionId(next.row) },
      ...(last && {
        last: last.kind === 'prefix' ? { key: last.prefix } : { key: last.key, versionId: last.versionId },
      }),
    }
  } finally {
    await walk.close()
  }
}

const describe = ({ key, row }: KeyedVersion, isLatest: boolean) =>
  row.deleteMarker ? listedMarker(key, row, isLatest) : listedVersion(key, row, isLatest)

async function startPlace(
  snapshot: ReadSnapshot,
  bucket: string,
  options: VersionPageOptions,
): Promise<StartPlace | undefined> {
  const { keyMarker = '', versionIdMarker = '', markers = 'exclusive' } = options
  if (keyMarker === '') {
    if (versionIdMarker === '') return undefined
    throw new StorageError('InvalidArgument', 'A version-id marker cannot be specified without a key marker.', {
      details: { ArgumentName: 'version-id-marker', ArgumentValue: versionIdMarker },
    })
  }
  if (versionIdMarker === '') return { key: keyMarker, place: markers === 'inclusive' ? 'at' : 'after' }
  const version = parseVersionId(versionIdMarker) ?? (await snapshot.version(bucket, keyMarker, null))
  // A removed null version has no known place, and a version of another branch of the log has none in this one. The whole
  // key is listed again, so that no version is missed.
  if (version === undefined || !isOfBranch(await snapshot.epochs(), version)) return { key: keyMarker, place: 'at' }
  return { key: keyMarker, place: markers === 'inclusive' ? version.seq : version.seq - 1 }
}

/** A page may begin in the middle of a key, so the latest version of that key is looked up. */
async function latestMarks(snapshot: ReadSnapshot, bucket: string, start: StartPlace | undefined) {
  let current = start?.key
  let newest = start && (await snapshot.newest(bucket, start.key))?.seq
  return ({ key, row }: KeyedVersion): boolean => {
    if (key !== current) {
      current = key
      newest = row.seq
    }
    return row.seq === newest
  }
}

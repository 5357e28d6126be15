/** The state that every command needs to add a version or delete marker: how to name it, and which one it replaces. */
import { type Soon, whenThere } from '../base/soon.ts'
import type { WriteConditions } from '../commands/command.ts'
import type { Actor, CreationFacts } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'
import { findNewest, findReplaced } from '../views/find-version.ts'
import type { ObjectOwnership } from '../settings/access-control.ts'
import type { ObjectLockConfiguration } from '../settings/object-lock.ts'
import type { BucketRow } from '../views/rows.ts'
import type { VersionRow } from '../views/version-row.ts'
import type { Rows } from '../views/row-reader.ts'
import { bucketTable } from '../views/tables.ts'
import { hasConditions, noSuchBucket } from '../reads/conditions.ts'
import { checkCreation, loadObjectLock, retentionByDefault } from './creation.ts'
import { loadOwnership } from './ownership.ts'

export interface NewVersionState {
  readonly bucket: BucketRow | undefined
  /** Loaded only if the conditions need it. */
  readonly newest: VersionRow | undefined
  /** Loaded unless versioning is enabled: the version that an unversioned write replaces. */
  readonly nullVersion: VersionRow | undefined
  /** Loaded only if the writer is not the bucket's owner. */
  readonly ownership: ObjectOwnership | undefined
  /** The Object Lock configuration of the bucket, if any. */
  readonly lock: ObjectLockConfiguration | undefined
}

interface Creation {
  readonly bucket: string
  readonly key: string
  readonly conditions?: WriteConditions
}

export function loadNewVersion(rows: Rows, command: Creation, by: Actor): Soon<NewVersionState> {
  const { bucket: name, key } = command
  return whenThere(rows.get(bucketTable.key(name)), (bucket) =>
    whenThere(loadNewest(rows, command, bucket), (newest) =>
      whenThere(findReplaced(rows, bucket, name, key), (nullVersion) =>
        whenThere(loadOwnership(rows, name, bucket, by), (ownership) =>
          whenThere(loadObjectLock(rows, name, bucket), (lock) => ({ bucket, newest, nullVersion, ownership, lock })),
        ),
      ),
    ),
  )
}

function loadNewest(
  rows: Rows,
  { bucket: name, key, conditions }: Creation,
  bucket: BucketRow | undefined,
): Soon<VersionRow | undefined> {
  const isConditional = bucket !== undefined && conditions !== undefined && hasConditions(conditions)
  return isConditional ? findNewest(rows, name, key) : undefined
}

/** @throws StorageError `NoSuchBucket`. */
export function placeVersion(state: NewVersionState, bucket: string): { nullVersion: boolean; replaces?: Seq } {
  if (state.bucket === undefined) throw noSuchBucket(bucket)
  if (state.bucket.versioning === 'Enabled') return { nullVersion: false }
  if (state.nullVersion === undefined) return { nullVersion: true }
  return { nullVersion: true, replaces: state.nullVersion.seq }
}

/** Checks the requested facts of a version and adds the defaults of its bucket. @throws StorageError as `checkCreation`. */
export function checkedCreation(
  { bucket, lock }: NewVersionState,
  creation: CreationFacts,
  at: number,
): Pick<CreationFacts, 'retention'> {
  if (bucket !== undefined) checkCreation(creation, bucket, at)
  return retentionByDefault(creation, lock, at)
}

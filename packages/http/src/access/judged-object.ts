/** The object that a permission is about: its owner, its ACL and its tags, as far as they decide about access. */

import {
  type AccessControlList,
  type Actor,
  type AnnotatedVersion,
  isStorageError,
  type Seq,
  type Tag,
  type TrackedReads,
} from '@varve/core'
import { privateAcl } from './acl.ts'
import type { Permission } from '../policies/permission.ts'

/** Reads of objects now, which are tracked, and as of a position. */
export interface ObjectReads {
  readonly reads: TrackedReads
  readonly readsAt: (at: Seq) => Promise<Pick<TrackedReads, 'objects'>>
}

/** @throws StorageError as `annotations` does */
export async function judgedObject(
  reads: ObjectReads,
  permission: Permission,
): Promise<{ readonly owner: Actor; readonly acl: AccessControlList }> {
  const version = await named(reads, permission)
  const { owner } = version
  // An ACL of then grants nothing. A version that is gone has no ACL today, so only its owner may read it.
  const { acl } =
    permission.at === undefined ? version : ((await sameNow(reads, permission, version)) ?? { acl: undefined })
  return { owner, acl: acl ?? privateAcl(owner.id) }
}

/**
 * The tags that conditions are evaluated with, each list by itself: those of now; for a version of the past, those of
 * then, and those of now if the version still exists. All of them must allow it.
 */
export async function judgedTags(
  reads: ObjectReads,
  permission: Permission,
): Promise<readonly (readonly Tag[] | undefined)[]> {
  if (permission.bucket === undefined || permission.key === undefined) return [undefined]
  const version = await foundOrAbsent(named(reads, permission))
  const now =
    permission.at === undefined || version === undefined ? undefined : await sameNow(reads, permission, version)
  return now === undefined ? [version?.tags] : [version?.tags, now.tags]
}

/** The version that the permission names, as it was then. */
async function named({ reads, readsAt }: ObjectReads, { bucket = '', key = '', versionId, at }: Permission) {
  const { objects } = at === undefined ? reads : await readsAt(at)
  return objects.annotations(bucket, key, versionId === undefined ? {} : { versionId })
}

/** The same version with its annotations of now, if it still exists. */
async function sameNow(
  { reads }: ObjectReads,
  { bucket = '', key = '' }: Permission,
  { versionId, seq }: AnnotatedVersion,
): Promise<AnnotatedVersion | undefined> {
  const now = await foundOrAbsent(reads.objects.annotations(bucket, key, { versionId }))
  // A null version may have been replaced by another one.
  return now?.seq === seq ? now : undefined
}

const foundOrAbsent = (version: Promise<AnnotatedVersion>): Promise<AnnotatedVersion | undefined> =>
  version.catch((error: unknown) => {
    if (isStorageError(error)) return undefined
    throw error
  })

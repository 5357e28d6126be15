/** Events in words. */

import type { EventType } from '@varve/core'
import type { LogEvent } from './events.ts'

const deeds: Partial<Readonly<Record<EventType, string>>> = {
  VersionAdded: 'wrote',
  UploadCompleted: 'completed the upload of',
  DeleteMarkerAdded: 'deleted',
  VersionRemoved: 'removed a version of',
  VersionRestored: 'brought back a version of',
  BucketCreated: 'created the bucket',
  BucketForked: 'made the fork',
  BucketDeleted: 'deleted the bucket',
  BucketRestored: 'brought back the bucket',
  ForkDropped: 'dropped the fork',
  VersioningSet: 'set the versioning of',
  ObjectTagsSet: 'set the tags of',
  ObjectAclSet: 'set the ACL of',
  BucketSettingRemoved: 'removed a setting of',
  UploadStarted: 'began to upload',
  PartAdded: 'uploaded a part of',
  UploadAborted: 'gave up the upload of',
  RetentionSet: 'set how long removed bytes stay',
  ContentsErased: 'erased bytes that had to go',
  ErasureRequested: 'requested that versions be erased in',
  SnapshotCreated: 'created the snapshot',
  SnapshotDeleted: 'deleted the snapshot',
  TaskStarted: 'began a restore, an undo or a merge in parts',
  TaskContinued: 'made a part of a restore, an undo or a merge',
  TaskEnded: 'ended a restore, an undo or a merge in parts',
}

/** Delete markers, whose removal brings an object back. */
const markerDeeds: Partial<Readonly<Record<EventType, string>>> = {
  VersionRemoved: 'removed the delete marker of',
  VersionRestored: 'brought back the delete marker of',
}

const causes = {
  undo: 'undid a change, and so ',
  restore: 'restored an earlier state, and so ',
  merge: 'merged a fork, and so ',
} as const

/** What the actor did, such as `deleted`, and what it is a part of. A type without words of its own is named. */
export function deedText({ type, data: { deleteMarker = false, cause } }: LogEvent): string {
  const known = type as EventType
  const deed = (deleteMarker ? markerDeeds[known] : undefined) ?? deeds[known] ?? wordsOf(type)
  return `${cause === undefined ? '' : causes[cause.kind]}${deed}`
}

const wordsOf = (type: string): string =>
  type.replace(/([a-z])([A-Z])/g, (_, end: string, begin: string) => `${end} ${begin.toLowerCase()}`)

/** What an event is about: a key, a bucket or a name. */
export const subjectText = ({ data: { bucket, key, name } }: LogEvent): string => key ?? name ?? bucket ?? ''

export type EventKind = 'added' | 'removed' | 'other'

const additions: ReadonlySet<string> = new Set<EventType>([
  'VersionAdded',
  'UploadCompleted',
  'VersionRestored',
  'BucketCreated',
  'BucketForked',
  'BucketRestored',
])
export const removalTypes: readonly EventType[] = [
  'DeleteMarkerAdded',
  'VersionRemoved',
  'BucketDeleted',
  'ForkDropped',
  'ContentsErased',
]
const removals: ReadonlySet<string> = new Set(removalTypes)

export function kindOf({ type, data: { deleteMarker = false } }: LogEvent): EventKind {
  // What happens to a delete marker is the opposite for its object.
  if (deleteMarker && type === 'VersionRemoved') return 'added'
  if (deleteMarker && type === 'VersionRestored') return 'removed'
  if (additions.has(type)) return 'added'
  return removals.has(type) ? 'removed' : 'other'
}

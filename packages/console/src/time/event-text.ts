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
}

/** What the actor did, such as `deleted`. A type without words of its own is named. */
export const deedText = ({ type }: LogEvent): string =>
  deeds[type as EventType] ??
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

export function kindOf({ type }: LogEvent): EventKind {
  if (additions.has(type)) return 'added'
  return removals.has(type) ? 'removed' : 'other'
}

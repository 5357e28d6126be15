/** The names of log events in notifications: S3's names, without `s3:`. */
import type { RecordedEvent } from '../events/index.ts'

/** The names that this log can produce; patterns may end in `:*`. */
export const notificationNames = [
  'ObjectCreated:Put',
  'ObjectCreated:Copy',
  'ObjectCreated:CompleteMultipartUpload',
  'ObjectRemoved:Delete',
  'ObjectRemoved:DeleteMarkerCreated',
  'LifecycleExpiration:Delete',
  'LifecycleExpiration:DeleteMarkerCreated',
  'ObjectTagging:Put',
  'ObjectTagging:Delete',
  'ObjectAcl:Put',
] as const

/** The name of an event in S3's notifications. */
export type NotificationName = (typeof notificationNames)[number]

/** An event that causes notifications. */
export type NotifiedEvent = RecordedEvent<
  | 'VersionAdded'
  | 'UploadCompleted'
  | 'DeleteMarkerAdded'
  | 'VersionRemoved'
  | 'VersionRestored'
  | 'ObjectTagsSet'
  | 'ObjectAclSet'
>

export function notified(
  event: RecordedEvent,
): { readonly event: NotifiedEvent; readonly name: NotificationName } | undefined {
  const family = event.by.id === 'lifecycle' ? 'LifecycleExpiration' : 'ObjectRemoved'
  switch (event.type) {
    case 'VersionAdded':
      return { event, name: event.data.copiedFrom === undefined ? 'ObjectCreated:Put' : 'ObjectCreated:Copy' }
    case 'UploadCompleted':
      return { event, name: 'ObjectCreated:CompleteMultipartUpload' }
    case 'DeleteMarkerAdded':
      return { event, name: `${family}:DeleteMarkerCreated` }
    case 'VersionRemoved':
      return { event, name: `${family}:Delete` }
    case 'VersionRestored':
      // For a client, an object or a delete marker has been made from one that there was.
      return { event, name: event.data.deleteMarker ? `${family}:DeleteMarkerCreated` : 'ObjectCreated:Copy' }
    case 'ObjectTagsSet':
      return { event, name: event.data.value === undefined ? 'ObjectTagging:Delete' : 'ObjectTagging:Put' }
    case 'ObjectAclSet':
      return { event, name: 'ObjectAcl:Put' }
    default:
      return undefined
  }
}

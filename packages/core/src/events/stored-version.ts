/**
 * Which schema version an event is stored with: the lowest that can say it. A release that knows no more than the first
 * then reads every store that uses no more, and refuses the first event it would misread: a lock it does not know of
 * would not hold, sealed bytes would be served as they are.
 */
import type { Content, CreationFacts } from './content.ts'
import type { Actor, EventType, RecordedEvent } from './event.ts'
import { eventSchema } from './upcast.ts'

export function storedVersion(event: RecordedEvent): number {
  switch (event.type) {
    case 'VersionAdded':
    case 'UploadCompleted':
      return saysMore(event.data) || isSealed(event.data.content) ? 2 : 1
    case 'UploadStarted':
      return saysMore(event.data) ? 2 : 1
    case 'PartAdded':
      return isSealed(event.data.content) ? 2 : 1
    case 'BucketDeleted':
      return event.data.leavesUploads ? 2 : 1
    case 'UploadAborted':
      return event.data.lastOf === undefined ? 1 : 2
    default:
      return eventSchema[event.type satisfies Exclude<EventType, 'VersionAdded'>]
  }
}

function saysMore(data: CreationFacts & { readonly owner?: Actor }): boolean {
  const { tags, acl, retention, legalHold, storageClass, encryption, owner } = data
  return (tags ?? acl ?? retention ?? legalHold ?? storageClass ?? encryption ?? owner) !== undefined
}

const isSealed = (content: Content): boolean => content.kind === 'blob' && 'sealed' in content

/**
 * The schema version that an event is stored with: the lowest that can express it. A release that knows only the first
 * version can then read every store that uses nothing newer. It refuses the first event that it would misread: it would
 * ignore a lock that it does not know, or serve encrypted bytes as they are.
 */
import type { ChecksumAlgorithm } from '../base/checksums.ts'
import type { Checksum, Content, CreationFacts } from './content.ts'
import type { Actor, EventType, RecordedEvent } from './event.ts'
import { eventSchema } from './upcast.ts'

export function storedVersion(event: RecordedEvent): number {
  switch (event.type) {
    case 'VersionAdded':
    case 'UploadCompleted':
      return hasLaterFields(event.data) || hasNewContent(event.data) ? 2 : 1
    case 'UploadStarted':
      return hasLaterFields(event.data) || hasNewAlgorithm(event.data.checksumAlgorithm) ? 2 : 1
    case 'PartAdded':
      return hasNewContent(event.data) ? 2 : 1
    case 'BucketDeleted':
      return event.data.leavesUploads ? 2 : 1
    case 'UploadAborted':
      return event.data.lastOf === undefined ? 1 : 2
    default:
      return eventSchema[event.type satisfies Exclude<EventType, 'VersionAdded'>]
  }
}

function hasLaterFields(data: CreationFacts & { readonly owner?: Actor }): boolean {
  const { tags, acl, retention, legalHold, storageClass, encryption, owner } = data
  return (tags ?? acl ?? retention ?? legalHold ?? storageClass ?? encryption ?? owner) !== undefined
}

/** The algorithms of the first schema version. */
const firstAlgorithms: ReadonlySet<string> = new Set(['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'])

const hasNewAlgorithm = (algorithm: ChecksumAlgorithm | undefined): boolean =>
  algorithm !== undefined && !firstAlgorithms.has(algorithm)

const hasNewContent = ({ content, checksum }: { readonly content: Content; readonly checksum?: Checksum }): boolean =>
  isSealed(content) || hasNewAlgorithm(checksum?.algorithm)

const isSealed = (content: Content): boolean => content.kind === 'blob' && 'sealed' in content

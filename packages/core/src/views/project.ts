/**
 * Computes rows from events: the only place that writes views. The result depends only on the event and on rows of
 * earlier events, so replaying a log gives the same rows, byte for byte.
 *
 * No row that clients could see is destroyed. It moves to a past table, with the position of the event that ended it.
 */
import type { Soon } from '../base/soon.ts'
import type { DecodedEvent } from '../events/event-codec.ts'
import { isSettingEvent } from './evolve-bucket.ts'
import { projectAnnotation } from './project-annotation.ts'
import { projectBucket } from './project-bucket.ts'
import { projectEpoch } from './project-epoch.ts'
import { projectErasure } from './project-erasure.ts'
import { projectFork } from './project-fork.ts'
import { projectIdentity } from './project-identity.ts'
import { projectKeys } from './project-keys.ts'
import { projectPins } from './project-pins.ts'
import { projectRetention } from './project-retention.ts'
import { projectRestored } from './project-restored.ts'
import { projectSnapshot } from './project-snapshot.ts'
import { projectTask } from './project-task.ts'
import { projectUpload } from './project-upload.ts'
import { projectVersion } from './project-version.ts'
import type { RowTransaction } from './row-transaction.ts'

/** Returns a promise only if rows must be read first. */
export function project(rows: RowTransaction, { event, facts }: Pick<DecodedEvent, 'event' | 'facts'>): Soon<void> {
  switch (event.type) {
    case 'BucketCreated':
    case 'BucketDeleted':
    case 'ForkDropped':
    case 'BucketRestored':
    case 'VersioningSet':
    case 'BucketSettingRemoved':
      return projectBucket(rows, event)
    case 'BucketForked':
    case 'ForkCleared':
    case 'ForkReleased':
      return projectFork(rows, event)
    case 'VersionAdded':
    case 'DeleteMarkerAdded':
    case 'UploadCompleted':
    case 'VersionRemoved':
      return projectVersion(rows, event, facts)
    case 'VersionRestored':
      return projectRestored(rows, event)
    case 'ObjectTagsSet':
    case 'ObjectAclSet':
    case 'ObjectRetentionSet':
    case 'ObjectLegalHoldSet':
      return projectAnnotation(rows, event)
    case 'UploadStarted':
    case 'PartAdded':
    case 'UploadAborted':
      return projectUpload(rows, event)
    case 'RetentionSet':
      return projectRetention(rows, event)
    case 'SnapshotCreated':
    case 'SnapshotDeleted':
      return projectSnapshot(rows, event)
    case 'TaskStarted':
    case 'TaskContinued':
    case 'TaskEnded':
      return projectTask(rows, event)
    case 'PinsSettled':
      return projectPins(rows, event)
    case 'ErasureStarted':
    case 'ContentsErased':
      return projectErasure(rows, event)
    case 'KeyGenerationAdded':
    case 'KeyGenerationRewrapped':
      return projectKeys(rows, event)
    case 'IdentityCreated':
    case 'IdentityPolicySet':
    case 'IdentityQuotaSet':
    case 'IdentityRemoved':
    case 'AccessKeyAdded':
    case 'AccessKeyRevoked':
      return projectIdentity(rows, event)
    case 'EpochBegun':
      return projectEpoch(rows, event)
    case 'ErasureRequested':
    case 'BytesHealed':
    case 'EventLost':
      return undefined
    default:
      if (isSettingEvent(event)) return projectBucket(rows, event)
      return event satisfies never
  }
}

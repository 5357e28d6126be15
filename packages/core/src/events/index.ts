export { creationFacts } from './content.ts'
export type {
  BlobContent,
  BlobRef,
  Checksum,
  ChecksumType,
  Content,
  ContentHeaders,
  CreationFacts,
  ObjectFacts,
  ObjectMetadata,
  Seal,
} from './content.ts'
export type {
  Actor,
  Cause,
  ErasedVersion,
  Erasure,
  ErasureStarted,
  Event,
  EventLost,
  EventShapes,
  EventType,
  KeyGenerationAdded,
  KeyGenerationRewrapped,
  RecordedEvent,
  PinsSettled,
  RetentionSet,
  SnapshotCreated,
} from './event.ts'
export type {
  AccessKeyAdded,
  IdentityCreated,
  IdentityEventType,
  IdentityPolicySet,
  IdentityQuotaSet,
} from './identity-events.ts'
export { isIdentityEvent } from './identity-events.ts'
export type { BytesHealed } from './bytes-healed.ts'
export type { EpochBegun } from './epoch-begun.ts'
export type { TaskContinued, TaskEnded, TaskKind, TaskStarted } from './task-events.ts'

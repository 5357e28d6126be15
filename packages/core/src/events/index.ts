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

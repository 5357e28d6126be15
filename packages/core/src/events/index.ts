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
  Event,
  EventLost,
  EventShapes,
  EventType,
  KeyGenerationAdded,
  KeyGenerationRewrapped,
  RecordedEvent,
} from './event.ts'

export { crcChunkBytes, creationFacts } from './content.ts'
export type {
  BlobRef,
  Checksum,
  ChecksumType,
  Content,
  ContentHeaders,
  CreationFacts,
  ObjectFacts,
  ObjectMetadata,
} from './content.ts'
export type * from './event.ts'

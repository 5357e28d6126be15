export { crcChunkBytes } from './content.ts'
export type {
  BlobRef,
  Checksum,
  ChecksumType,
  Content,
  ContentHeaders,
  ObjectFacts,
  ObjectMetadata,
} from './content.ts'
export type * from './event.ts'

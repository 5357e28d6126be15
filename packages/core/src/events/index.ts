export { crcChunkBytes } from './content.ts'
export type { BlobRef, Checksum, ChecksumType, Content, ObjectFacts, ObjectMetadata } from './content.ts'
export type * from './event.ts'

import type { BlobRef, Content } from '../events/index.ts'
import type { Command } from './command.ts'

/** The bytes that were written for the command, unless they are in its rows. */
export function writtenBlob({ type, data }: Command): BlobRef | undefined {
  if (type === 'PutObject') return blobOf(data.facts.content)
  return type === 'UploadPart' ? blobOf(data.content) : undefined
}

const blobOf = (content: Content): BlobRef | undefined =>
  content.kind === 'blob' && !content.blob.inline ? content.blob : undefined

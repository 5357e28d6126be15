import type { BlobId, Seq } from '../ports/index.ts'
import type { BlobContent } from './content.ts'
import type { RecordedEvent } from './event.ts'

/** A blob, and the event that brought it into the store. */
export interface BroughtBlob {
  readonly seq: Seq
  readonly id: BlobId
}

/** A blob that an event brought, with what the event says of it. */
export interface Brought extends BroughtBlob {
  readonly content: BlobContent
}

/** The blob that the event brings into the store. A copy shares one that an earlier event brought. */
export function broughtBlob({ seq, data }: RecordedEvent): Brought | undefined {
  if (!('content' in data) || data.content.kind !== 'blob' || 'copiedFrom' in data) return undefined
  return { seq, id: data.content.blob.id, content: data.content }
}

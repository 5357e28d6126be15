import type { BlobId, Seq } from '../ports/index.ts'

/** Stored bytes that were damaged or missing were taken from a copy, and are again as they were written. */
export interface BytesHealed {
  /** The bytes of a blob, the row of a short one, or the row with its data key. */
  readonly what: 'blob' | 'inline' | 'key'
  readonly blob: BlobId
  /** The event that brought the blob, if it is known. */
  readonly brought?: Seq
  readonly fault: 'damaged' | 'missing'
  /** The name of the copy: an address without secrets. */
  readonly from: string
}

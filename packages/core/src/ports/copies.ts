import type { BlobStore, BlobId } from './blob-store.ts'
import type { Seq } from './journal.ts'

/** Rows beside the log: the bytes of short blobs, and wrapped data keys. */
export type SideRowKind = 'inline' | 'keys'

/** A blob, and the event that brought it, if that is known. */
export interface SoughtBlob {
  readonly id: BlobId
  readonly seq?: Seq | undefined
}

/**
 * A port: a copy of the bytes of a store elsewhere, as in a replica. It may be slow, damaged, or behind, so the store checks all that
 * it gives.
 */
export interface Copy extends Pick<BlobStore, 'open'> {
  /** Without secrets: it is written to the log. */
  readonly name: string
  /** The row of a blob, as a journal has it. `undefined` if the copy does not have it. */
  sideRow(kind: SideRowKind, blob: SoughtBlob): Promise<Uint8Array | undefined>
}

/** Where a log is copied from, and what its events brought. */
import type { BlobContent, RecordedEvent } from '../events/index.ts'
import type { BlobId, BlobStore, Journal, Seq } from '../ports/index.ts'
import { dataKeyTable, inlineTable } from '../views/tables.ts'

/** A journal and its blobs. */
export interface CopiedParts {
  readonly journal: Journal
  readonly blobs: BlobStore
}

/** What a log is copied from: a journal and its blobs, or a replica. */
export interface LogSource {
  readonly journal: Pick<Journal, 'head' | 'events'>
  readonly blobs: Pick<BlobStore, 'open'>
  /** The rows of blobs, each with the event that brought it. `undefined` where there is none. */
  sideRows(kind: SideRowKind, wanted: readonly BroughtBlob[]): Promise<readonly (Uint8Array | undefined)[]>
}

/** Rows beside the log: the bytes of short blobs, and wrapped data keys. */
export type SideRowKind = 'inline' | 'keys'

/** A blob, and the event that brought it into the store. */
export interface BroughtBlob {
  readonly seq: Seq
  readonly id: BlobId
}

/** The key of a row beside the log. */
export const sideRowKey = (kind: SideRowKind, id: BlobId): Uint8Array =>
  (kind === 'inline' ? inlineTable : dataKeyTable).key(id)

/** Journals have the rows at their keys. */
export const journalSource = ({ journal, blobs }: CopiedParts): LogSource => ({
  journal,
  blobs,
  sideRows: (kind, wanted) => journal.getMany(wanted.map(({ id }) => sideRowKey(kind, id))),
})

/** A blob that an event brought, with what the event says of it. */
export interface Brought extends BroughtBlob {
  readonly content: BlobContent
}

/** The blob that the event brings into the store. A copy shares one that an earlier event brought. */
export function broughtBlob({ seq, data }: RecordedEvent): Brought | undefined {
  if (!('content' in data) || data.content.kind !== 'blob' || 'copiedFrom' in data) return undefined
  return { seq, id: data.content.blob.id, content: data.content }
}

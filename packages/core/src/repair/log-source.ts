/** Where a log is copied from. */
import type { BroughtBlob } from '../events/brought-blob.ts'
import type { BlobId, BlobStore, Journal, Row, Seq, SideRowKind } from '../ports/index.ts'
import { sideRowKey } from '../views/side-row-key.ts'

/** A journal and its blobs. */
export interface CopiedParts {
  readonly journal: Journal
  readonly blobs: BlobStore
}

/** The rows of all views after an event. */
export interface SourceViews {
  /** The event, and its hash. */
  readonly seq: Seq
  readonly hash: string
  /** In the order of their keys. Throws `ReplicaCorrupt`. */
  rows(): AsyncIterable<readonly Row[]>
}

/** What a log is copied from: a journal and its blobs, or a replica. */
export interface LogSource {
  readonly journal: Pick<Journal, 'head' | 'events'>
  readonly blobs: Pick<BlobStore, 'open'>
  /** Asked in turn for blobs that `blobs` lacks, or has damaged. @default none */
  readonly otherBlobs?: readonly Pick<BlobStore, 'open'>[]
  /** Blobs that are not copied, because nothing can need them. Their absence is noted in the copy, and is no damage. @default none */
  readonly leftOut?: ReadonlySet<BlobId>
  /** The rows of blobs, each with the event that brought it. `undefined` where there is none. */
  sideRows(kind: SideRowKind, wanted: readonly BroughtBlob[]): Promise<readonly (Uint8Array | undefined)[]>
  /** The views after events up to `to`, the latest first. Absent: they are computed from the log. */
  views?(to: Seq): AsyncIterable<SourceViews>
}

/** Journals have the rows at their keys. */
export const journalSource = ({ journal, blobs }: CopiedParts, leftOut?: ReadonlySet<BlobId>): LogSource => ({
  journal,
  blobs,
  ...(leftOut && { leftOut }),
  sideRows: (kind, wanted) => journal.getMany(wanted.map(({ id }) => sideRowKey(kind, id))),
})

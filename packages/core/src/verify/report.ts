/** The options and the report of a verification. */
import type { Journal, Seq, Tip } from '../ports/index.ts'
import type { Progress } from '../engine/catch-up.ts'
import type { Cancelable } from '../api/types/index.ts'

/** The current part of a verification. */
export type VerifyStage = 'log' | 'views' | 'blobs'

export interface VerifyOptions extends Cancelable {
  /** An empty journal for computing the views again. The caller closes it. Without it, views are not compared. */
  readonly scratch?: Journal
  /**
   * `read` (default) reads every byte, `present` only checks that each blob exists with its size, `skip` does neither.
   */
  readonly blobs?: 'read' | 'present' | 'skip'
  /**
   * `compare` (default, with a `scratch`) computes the views again, `check` only checks the checksum of every row,
   * `skip` does neither: it reads only the log, which is much faster.
   */
  readonly views?: 'compare' | 'check' | 'skip'
  /** A tip that was remembered elsewhere: the only way to detect a log that was rewritten as a whole. */
  readonly tip?: Tip
  onProgress?(progress: Progress & { readonly stage: VerifyStage }): void
  /** Called with each divergence as it is found. */
  onDivergence?(divergence: Divergence): void
}

/** The kind of a divergence that a verification found. */
export type DivergenceKind =
  /** The bytes of an event fail their checksum, are not a valid event, or belong to another position. */
  | 'EventDamaged'
  /** Positions without an event: `count` of them, starting at `seq`. */
  | 'EventMissing'
  /** A readable event that is not the one whose hash the next event has: it was changed. */
  | 'EventChanged'
  /** A readable event that does not have the hash of the previous one: one of the two was changed. */
  | 'EventUnlinked'
  /** The event was written by a newer release. */
  | 'EventUnknown'
  /** LevelDB cannot read the events from `seq` on, or rows, or anything. */
  | 'JournalUnreadable'
  /** The event is not the one that the witness, the head row or the given tip remembers. */
  | 'TipDiffers'
  /** The log ends before the position that the witness, the head row or the given tip remembers. */
  | 'LogShort'
  | 'WitnessDamaged'
  | 'RowMissing'
  | 'RowUnexpected'
  | 'RowDiffers'
  | 'RowCorrupt'
  | 'InlineMissing'
  | 'InlineCorrupt'
  /** Inline bytes that no row names. */
  | 'InlineOrphan'
  /** The data key of encrypted bytes is missing: nothing can decrypt them. */
  | 'DataKeyMissing'
  | 'DataKeyCorrupt'
  /** A data key of bytes that were erased, or that no row names. */
  | 'DataKeyOrphan'
  | 'BlobMissing'
  /** The size or some runs of the bytes are wrong: `runs` lists them, counted from 0 in steps of 1 MiB. */
  | 'BlobCorrupt'
  | 'BlobUnreadable'
  /** A blob that no row names; the sweep removes it. */
  | 'BlobOrphan'
  /** The FORMAT file is missing or damaged. */
  | 'FormatMissing'
  | 'FormatDamaged'
  /** A directory of the store is missing. */
  | 'DirectoryMissing'
  /** A file of LevelDB changed after the store was closed. */
  | 'FileChanged'
  /** The list of LevelDB's files, written when the store was closed, cannot be read. */
  | 'SealDamaged'
  /** Part of a file with many blobs was changed. The blobs that can be read are not affected. */
  | 'SegmentDamaged'
  /** A file or directory in the store's directories that the store did not create. */
  | 'FileUnexpected'
  /** The header of a keyspace is damaged or missing. */
  | 'KeyspaceDamaged'
  /** The log ends before the cursor of a keyspace. */
  | 'KeyspaceAhead'
  /** The registered reducer of a keyspace throws at event `seq`, which the keyspace has passed. */
  | 'KeyspaceFailed'
  /** A temporary file, or rows of a keyspace from before it was cleared; the next opening removes them. */
  | 'Leftover'

/** One difference or damage that a verification found. */
export interface Divergence {
  readonly kind: DivergenceKind
  readonly message: string
  readonly seq?: Seq
  /** The number of positions, for `EventMissing`. */
  readonly count?: number
  /** Row key in hex, blob id, or the path of a file in the store. */
  readonly key?: string
  /** The table of a row. */
  readonly table?: string
  /** The object or the upload that is affected, by the names that clients know. */
  readonly of?: Named
  /** Damaged 1 MiB runs of a blob, from 0. */
  readonly runs?: readonly number[]
}

/** An object, a version, an upload, a part or a keyspace, by the names that clients know. */
export interface Named {
  readonly bucket?: string
  readonly key?: string
  /** The version id; for a null version, the id that it would have otherwise. */
  readonly versionId?: string
  /** The public part of the upload id, which is its beginning. */
  readonly uploadId?: string
  readonly partNumber?: number
  readonly keyspace?: string
}

/** What a verification checked and found. */
export interface VerifyReport {
  /** True if no divergence was found. Leftovers do not count. */
  readonly ok: boolean
  readonly events: number
  readonly rows: number
  readonly blobs: number
  readonly bytes: number
  /** The first 10,000 divergences and the first 10,000 leftovers, in the order in which they were found. */
  readonly divergences: readonly Divergence[]
  /** The number of divergences and leftovers together. */
  readonly found: number
  /** How much damage was healed from replicas. It is not among the divergences. Absent: none. */
  readonly healed?: number
  /** The number of leftovers: remains of interrupted writes, which the store removes by itself. */
  readonly leftovers: number
  /** The tip of the stored log. If it is remembered elsewhere, it proves the whole log: see `VerifyOptions.tip`. */
  readonly tip?: Tip
}

/** Whether this is a remain of an interrupted write, which is no damage and which the store removes by itself. */
export const isLeftover = ({ kind }: Pick<Divergence, 'kind'>): boolean => kind === 'BlobOrphan' || kind === 'Leftover'

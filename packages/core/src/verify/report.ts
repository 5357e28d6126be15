/** The options and the report of a verification. */
import type { Journal, Seq, Tip } from '../ports/index.ts'
import type { Progress } from '../engine/catch-up.ts'
import type { Cancelable } from '../api/types/index.ts'

/** The part of a verification that is under way. */
export type VerifyStage = 'log' | 'views' | 'blobs'

export interface VerifyOptions extends Cancelable {
  /** An empty journal to make the views in again; it is the caller's to close. Without one, views are not compared. */
  readonly scratch?: Journal
  /** `read` (default) reads every byte, `present` only checks that each blob is there in its size, `skip` does neither. */
  readonly blobs?: 'read' | 'present' | 'skip'
  /**
   * `compare` (default, with a `scratch`) makes the views again, `check` only holds every row against its checksum, `skip`
   * does neither: the log alone, which is much the faster.
   */
  readonly views?: 'compare' | 'check' | 'skip'
  /** An end of the log that was noted elsewhere: the only proof against a log that was rewritten as a whole. */
  readonly tip?: Tip
  onProgress?(progress: Progress & { readonly stage: VerifyStage }): void
  /** Called with each divergence as it is found. */
  onDivergence?(divergence: Divergence): void
}

/** The kind of a divergence that a verification found. */
export type DivergenceKind =
  /** The bytes of an event fail their checksum, or are no event, or that of another position. */
  | 'EventDamaged'
  /** Positions without an event: `count` of them from `seq` on. */
  | 'EventMissing'
  /** Whole, but not the event that the one after it was written behind: it was changed. */
  | 'EventChanged'
  /** Whole, but not bound to the one before: it was changed, or the one before was. */
  | 'EventUnlinked'
  /** Written by a newer release. */
  | 'EventUnknown'
  /** LevelDB cannot give the events from `seq` on, or rows, or anything at all. */
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
  /** Inline bytes that nothing names. */
  | 'InlineOrphan'
  | 'BlobMissing'
  /** Its size or runs of its bytes are wrong: `runs` lists them, counted from 0 in steps of 1 MiB. */
  | 'BlobCorrupt'
  | 'BlobUnreadable'
  /** A blob that nothing names; the sweep removes it. */
  | 'BlobOrphan'
  /** The FORMAT file is gone or damaged. */
  | 'FormatMissing'
  | 'FormatDamaged'
  /** A directory of the store is not there. */
  | 'DirectoryMissing'
  /** A file of LevelDB is not as it was when the store was closed. */
  | 'FileChanged'
  /** The note of how LevelDB's files were left cannot be read. */
  | 'SealDamaged'
  /** Something in a file of many blobs is not as it was written; the blobs that can be read are not touched by it. */
  | 'SegmentDamaged'
  /** A name in the store's directories that the store did not make. */
  | 'FileUnexpected'
  /** A temporary file; the next opening removes it. */
  | 'Leftover'

/** One thing that does not agree. */
export interface Divergence {
  readonly kind: DivergenceKind
  readonly message: string
  readonly seq?: Seq
  /** How many positions, for `EventMissing`. */
  readonly count?: number
  /** Row key in hex, blob id, or the path of a file in the store. */
  readonly key?: string
  /** The table of a row. */
  readonly table?: string
  /** What it belongs to, as people name it. */
  readonly of?: Named
  /** Damaged 1 MiB runs of a blob, from 0. */
  readonly runs?: readonly number[]
}

/** A thing of the store by the names that clients know. */
export interface Named {
  readonly bucket?: string
  readonly key?: string
  /** The id of a version, were it not the null version. */
  readonly versionId?: string
  /** The public part of it, with which the upload's id begins. */
  readonly uploadId?: string
  readonly partNumber?: number
}

/** What a verification checked and found. */
export interface VerifyReport {
  /** True when everything agrees: no divergence was found. Leftovers are none. */
  readonly ok: boolean
  readonly events: number
  readonly rows: number
  readonly blobs: number
  readonly bytes: number
  /** What was found, in order: the first 10,000 divergences, and the first 10,000 leftovers among them. */
  readonly divergences: readonly Divergence[]
  /** How many of both were found. */
  readonly found: number
  /** How many of them are leftovers: what interrupted writes leave, and the store removes by itself. */
  readonly leftovers: number
  /** The end of the log as it is stored. Remembered elsewhere, it proves all that came before: see `VerifyOptions.tip`. */
  readonly tip?: Tip
}

/** What interrupted writes leave by design, and the store removes by itself: nothing is wrong. */
export const isLeftover = ({ kind }: Pick<Divergence, 'kind'>): boolean => kind === 'BlobOrphan' || kind === 'Leftover'

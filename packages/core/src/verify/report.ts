/** What a verification can be asked and what it finds. */
import type { Journal, Seq } from '../ports/index.ts'
import type { Progress } from '../store/catch-up.ts'
import type { Cancelable } from '../store/types/index.ts'

export type VerifyStage = 'log' | 'views' | 'blobs'

export interface VerifyOptions extends Cancelable {
  /** An empty journal to make the views in again; it is the caller's to close. Without one, views are not compared. */
  readonly scratch?: Journal
  /** `read` (default) reads every byte, `present` asks only whether each blob is there in its size, `skip` does neither. */
  readonly blobs?: 'read' | 'present' | 'skip'
  onProgress?(progress: Progress & { readonly stage: VerifyStage }): void
}

/** One thing that does not agree. */
export interface Divergence {
  readonly kind:
    | 'LogCorrupt'
    | 'RowMissing'
    | 'RowUnexpected'
    | 'RowDiffers'
    | 'RowCorrupt'
    | 'BlobMissing'
    | 'BlobCorrupt'
    | 'BlobOrphan'
  readonly message: string
  readonly seq?: Seq
  /** Row key in hex, or blob id. */
  readonly key?: string
}

export interface VerifyReport {
  readonly ok: boolean
  readonly events: number
  readonly rows: number
  readonly blobs: number
  readonly bytes: number
  readonly divergences: readonly Divergence[]
}

/** What a verification has seen so far. */
export interface Findings {
  events: number
  rows: number
  blobs: number
  bytes: number
  readonly divergences: Divergence[]
}

/** Erasing the bytes of chosen versions on purpose. */
import type { Seq } from '../../ports/index.ts'
import type { Cancelable } from './cancelable.ts'

/** Which versions are erased: those of one key, or of all keys that begin with a prefix. */
export interface EraseRequest extends Cancelable {
  readonly bucket: string
  /** One key. In place of a prefix. */
  readonly key?: string
  /** All keys that begin with it; `''` for all keys of the bucket. In place of a key. */
  readonly prefix?: string
  /**
   * Versions of the key, by id or by the position of the event that added them. The id `null` stands for all versions that ever
   * had it. @default all versions
   */
  readonly versions?: readonly (string | Seq)[]
  /** Also removes and erases chosen versions that exist. Otherwise only removed ones are erased. @default false */
  readonly live?: boolean
  /** Only shows what would be erased. @default false */
  readonly dryRun?: boolean
  /**
   * Adds a receipt, which proves what was erased. Whether one can be made is known before anything is erased. With it, at most 1,000
   * versions are erased. Not for `dryRun`. @default false
   */
  readonly receipt?: boolean
  /** Called after each commit, with the number of versions. */
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void
}

/**
 * Why the bytes of a version stay. `live`: the version exists, and `live` was not set. `snapshot`: a snapshot keeps them.
 * `fork`: a fork of the bucket keeps them. `copy`: another version that exists shares them. `retention`, `legalHold`: Object Lock protects the version. `changed`:
 * something was changed after the plan.
 */
export type EraseRefusal = 'live' | 'snapshot' | 'fork' | 'copy' | 'retention' | 'legalHold' | 'changed'

/** A chosen version. */
export interface EraseEntry {
  readonly key: string
  readonly versionId: string
  /** The position of the event that added the version. */
  readonly seq: Seq
  /** Bytes. */
  readonly size: number
  /** True if the version exists before: then it is removed first. */
  readonly live: boolean
}

/** A version whose bytes stay. */
export interface RefusedEraseEntry extends EraseEntry {
  readonly reason: EraseRefusal
  /** The snapshots that keep the bytes. */
  readonly snapshots?: readonly string[]
}

/** An erasure that was planned or done. Entries are in the order of their keys, the newest version first. */
export interface EraseResult {
  /** What was erased; with `dryRun`, what would be. */
  readonly entries: readonly EraseEntry[]
  /** What stays, and why. */
  readonly refused: readonly RefusedEraseEntry[]
  /** Versions whose bytes had been erased before. */
  readonly erasedBefore: number
  /** Erased contents whose bytes are still on the medium, because reads in progress use them. The sweep deletes them. */
  readonly pending: number
  /** The positions of the `ErasureRequested`, for `proofs.erasure`. Empty if nothing was erased. */
  readonly requests: readonly Seq[]
  /** The receipt, if one was requested and something was erased. */
  readonly receipt?: string
}

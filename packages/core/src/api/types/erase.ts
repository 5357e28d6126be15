/** Erasing the bytes of chosen versions on purpose. */
import type { Seq } from '../../ports/index.ts'
import type { Cancelable } from './cancelable.ts'

/** What is erased: versions and uploads of one key, or of all keys that begin with a prefix. */
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
  /**
   * Also erases the bytes of uploads that no version ever had: uploads in progress are aborted first, and of uploads that have ended, parts
   * that still wait for a sweep are erased. Ids: these uploads of the key. `'only'`: all of them, and no versions. @default false
   */
  readonly uploads?: boolean | 'only' | readonly string[]
  /** Only shows what would be erased. @default false */
  readonly dryRun?: boolean
  /**
   * Adds a receipt, which proves what was erased. Whether one can be made is known before anything is erased. With it, at most 1,000
   * versions are erased; an upload counts as many as it has replaced parts and other contents that are erased. Not for `dryRun`. @default false
   */
  readonly receipt?: boolean
  /** Called after each commit, with the number of versions and uploads. */
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void
}

/**
 * Why the bytes of a version or an upload stay. `live`: the version exists, and `live` was not set. `snapshot`: a snapshot keeps them.
 * `fork`: a fork of the bucket keeps them. `copy`: another version that exists shares them. `retention`, `legalHold`: Object Lock protects the version. `changed`:
 * something was changed after the plan.
 */
export type EraseRefusal = 'live' | 'snapshot' | 'fork' | 'copy' | 'retention' | 'legalHold' | 'changed'

/** A chosen version. */
export interface EraseVersionEntry {
  readonly kind: 'version'
  readonly key: string
  readonly versionId: string
  /** The position of the event that added the version. */
  readonly seq: Seq
  /** Bytes. */
  readonly size: number
  /** True if the version exists before: then it is removed first. */
  readonly live: boolean
}

/** A chosen upload with bytes that no version ever had. */
export interface EraseUploadEntry {
  readonly kind: 'upload'
  readonly key: string
  readonly uploadId: string
  /** The position of the event that started the upload. */
  readonly seq: Seq
  /** The number of parts that are erased. A part that was uploaded twice counts twice. */
  readonly parts: number
  /** The bytes of these parts. */
  readonly size: number
  /** True if the upload is in progress before: then it is aborted first. */
  readonly inProgress: boolean
}

/** A chosen version or upload. */
export type EraseEntry = EraseVersionEntry | EraseUploadEntry

/** A version or an upload whose bytes stay. */
export type RefusedEraseEntry = EraseEntry & {
  readonly reason: EraseRefusal
  /** The snapshots that keep the bytes. */
  readonly snapshots?: readonly string[]
}

/**
 * An erasure that was planned or done. Versions are in the order of their keys, the newest first; uploads follow, by key and then by start.
 */
export interface EraseResult {
  /** What was erased; with `dryRun`, what would be. */
  readonly entries: readonly EraseEntry[]
  /** What stays, and why. */
  readonly refused: readonly RefusedEraseEntry[]
  /**
   * Versions and uploads whose bytes had been erased before. What the files of the store and its replicas still have of them is removed. If a
   * sweep erased the bytes, and nobody has requested it before, the request is recorded.
   */
  readonly erasedBefore: number
  /**
   * Erased contents whose bytes are still on the medium, because reads in progress use them, or in `replicas`. The sweep deletes
   * them. What a sweep had erased before leaves the files with another erasure.
   */
  readonly pending: number
  /**
   * Names of replicas that this store writes and that may still have these bytes, because they could not be written in ten seconds; the bytes
   * count as `pending`. They go when the replica is written again. Absent if there are none.
   */
  readonly replicas?: readonly string[]
  /** The positions of the `ErasureRequested`, for `proofs.erasure`. Empty if none was recorded. */
  readonly requests: readonly Seq[]
  /** The receipt, if one was requested and a request was recorded. */
  readonly receipt?: string
}

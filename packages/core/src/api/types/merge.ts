/** Merging a fork into the bucket that it began as. */
import type { Seq } from '../../ports/index.ts'
import type { Cancelable } from './cancelable.ts'
import type { Parted } from './parted.ts'
import type { DiffedVersion } from './diff.ts'
import type { RestoreEntry } from './restore.ts'

/** What is merged. */
export interface MergeRequest extends Cancelable, Parted {
  /** The fork, which stays as it is. */
  readonly fork: string
  /** Only keys that begin with it. @default all keys */
  readonly prefix?: string
  /** Only plans. @default false */
  readonly dryRun?: boolean
  /**
   * What happens to a key that the fork and its base both changed, and to one that is changed after the plan. `fail`: nothing
   * is merged. `skip`: it stays as it is. `force`: it becomes what the fork has, unless it is changed after the plan.
   * @default 'fail'
   */
  readonly onConflict?: 'fail' | 'skip' | 'force'
}

/** A key that the fork and its base both changed, each to something else. What is absent has no object. */
export interface MergeConflict {
  readonly key: string
  /** What the key had when the fork began. */
  readonly before?: DiffedVersion
  readonly fork?: DiffedVersion
  readonly base?: DiffedVersion
}

/** A merge that was planned or done. Entries are in the order of their keys. */
export interface MergeResult {
  /** The bucket that the fork began as, which gets its changes. */
  readonly bucket: string
  /** The position of the state of both that was compared. */
  readonly planned: Seq
  /** The request id of its events, which `undo` takes back: `undo({ requestId: id })`. Absent: nothing was changed. */
  readonly id?: string
  /** What was done, with `past` for the version of the fork; with `dryRun`, what would be done. */
  readonly entries: readonly RestoreEntry[]
  readonly conflicts: readonly MergeConflict[]
  /** Keys that were left as they are, because they were changed after the plan. */
  readonly refused: readonly RestoreEntry[]
  /** Objects of the fork whose bytes were erased. Their keys stay as they are. */
  readonly erased: readonly RestoreEntry[]
}

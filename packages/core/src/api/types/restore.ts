/** Restoring the objects of a bucket as they were. */
import type { Moment } from '../../moments/moment.ts'
import type { Seq } from '../../ports/index.ts'
import type { Cancelable } from './cancelable.ts'
import type { DiffedVersion, ObjectAspect } from './diff.ts'

/** What is restored: the keys that begin with a prefix, or the given keys of a bucket. */
export interface RestoreRequest extends Cancelable {
  readonly bucket: string
  /** @default all keys */
  readonly prefix?: string
  /** In place of a prefix. */
  readonly keys?: readonly string[]
  /** The moment whose objects come back. */
  readonly to: Moment
  /** Only plans. @default false */
  readonly dryRun?: boolean
  /** What happens if an object is changed after the plan and before the commit. @default 'fail' */
  readonly onConflict?: 'fail' | 'skip'
  /** Refuses the whole restore with `ObjectErased` if the bytes of one object were erased. @default false */
  readonly strict?: boolean
  /** Allows several commits, for more keys than one commit takes. Each of them is atomic. @default false */
  readonly inParts?: boolean
  /** Called after each commit, with the number of keys. */
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void
}

/**
 * What a restore does with a key. `add`: adds a version that shares the bytes of the old one. `annotate`: gives the present
 * version its old tags and ACL, and stronger locks. `remove`: deletes the object, as `objects.delete` does.
 */
export interface RestoreEntry {
  readonly key: string
  readonly action: 'add' | 'annotate' | 'remove'
  /** The object at the moment. Absent: none. */
  readonly past?: DiffedVersion
  /** The object that the key has now. Absent: none. */
  readonly present?: DiffedVersion
  /** What the two differ in, if both exist. */
  readonly aspects: readonly ObjectAspect[]
}

/** A restore that was planned or done. Entries are in the order of their keys. */
export interface RestoreResult {
  /** The position that was restored to. */
  readonly to: Seq
  /** The position of the state that was compared with it. */
  readonly planned: Seq
  /** The cause of its events has this id. Absent: nothing was changed. */
  readonly id?: string
  /** What was done; with `dryRun`, what would be done. */
  readonly entries: readonly RestoreEntry[]
  /** Objects that cannot come back, because their bytes were erased. Their keys stay as they are. */
  readonly erased: readonly RestoreEntry[]
  /** Keys that were left as they are, because they were changed after the plan. */
  readonly conflicts: readonly RestoreEntry[]
}

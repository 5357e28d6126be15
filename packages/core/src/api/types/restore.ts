/** Restoring the objects of a bucket as they were. */
import type { Moment } from '../../moments/moment.ts'
import type { Seq } from '../../ports/index.ts'
import type { SettingKind } from '../../settings/setting.ts'
import type { Cancelable } from './cancelable.ts'
import type { Parted } from './parted.ts'
import type { DiffedVersion, ObjectAspect } from './diff.ts'

/** What is restored: the keys that begin with a prefix, or the given keys of a bucket. */
export interface RestoreRequest extends Cancelable, Parted {
  readonly bucket: string
  /** @default all keys */
  readonly prefix?: string
  /** In place of a prefix. */
  readonly keys?: readonly string[]
  /** The moment whose objects come back. */
  readonly to: Moment
  /**
   * Also gives the bucket the settings and the versioning that it had. Among them are policies and access control lists, so
   * what was allowed then is allowed again. @default false
   */
  readonly settings?: boolean
  /**
   * Takes the bucket back first if it was deleted. It has the settings that it had when it was deleted, unless those of
   * the moment come back. @default false
   */
  readonly deletedBucket?: boolean
  /** Only plans. @default false */
  readonly dryRun?: boolean
  /** What happens if an object is changed after the plan and before the commit. @default 'fail' */
  readonly onConflict?: 'fail' | 'skip'
  /** Refuses the whole restore with `ObjectErased` if the bytes of one object were erased. @default false */
  readonly strict?: boolean
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

/** A setting that comes back. */
export interface RestoredSetting {
  readonly setting: SettingKind | 'Versioning'
  /** The value that it gets. Absent: none. */
  readonly value?: unknown
}

/** A restore that was planned or done. Entries are in the order of their keys. */
export interface RestoreResult {
  /** The position that was restored to. */
  readonly to: Seq
  /** The position of the state that was compared with it. */
  readonly planned: Seq
  /** The cause of its events has this id. Absent: nothing was changed. */
  readonly id?: string
  /** The position of the deletion of the bucket that came back. Absent: it was there. */
  readonly deletedBucket?: Seq
  readonly settings: readonly RestoredSetting[]
  /** Settings that differ and cannot be put back: Object Lock, and versioning that was not set. */
  readonly settingsLeft: readonly RestoredSetting['setting'][]
  /** What was done; with `dryRun`, what would be done. */
  readonly entries: readonly RestoreEntry[]
  /** Objects that cannot come back, because their bytes were erased. Their keys stay as they are. */
  readonly erased: readonly RestoreEntry[]
  /** Keys that were left as they are, because they were changed after the plan. */
  readonly conflicts: readonly RestoreEntry[]
}

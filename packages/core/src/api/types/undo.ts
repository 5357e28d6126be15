/** Undoing chosen events. */
import type { EventFilter } from '../../following/event-filter.ts'
import type { Actor } from '../../events/index.ts'
import type { EventType } from '../../events/index.ts'
import type { Moment } from '../../moments/moment.ts'
import type { Seq } from '../../ports/index.ts'
import type { AnnotationKind } from '../../settings/annotation.ts'
import type { SettingKind } from '../../settings/setting.ts'
import type { Cancelable } from './cancelable.ts'
import type { Parted } from './parted.ts'

/** Which events are undone: those that match all fields. `by`, `requestId`, `requestIds` or `from` is needed. */
export interface UndoRequest extends EventFilter, Cancelable, Parted {
  /** Only events of one of these requests: for work that needed several. They are undone together. At least one. */
  readonly requestIds?: readonly string[]
  /** Only events after this moment. @default the start of the log */
  readonly from?: Moment
  /** Only events up to this moment. @default the end of the log */
  readonly to?: Moment
  /** Only plans. @default false */
  readonly dryRun?: boolean
  /**
   * What happens where others changed a key or a setting after a chosen event. `fail`: nothing is undone. `skip`: what
   * they changed stays, with what was done before it. `force`: the chosen events are undone there too.
   * @default 'fail'
   */
  readonly onConflict?: 'fail' | 'skip' | 'force'
}

/** What an undo changes. */
export type UndoEntry = UndoneKey | UndoneSetting | UndoneBucket

/** The changes of one key. */
export interface UndoneKey {
  readonly kind: 'key'
  readonly bucket: string
  readonly key: string
  /**
   * What clients see of it. `added`: an object is there again. `removed`: none is there any more. `changed`: another version is the
   * current one. `unchanged`: only other versions, delete markers or annotations change.
   */
  readonly effect: 'added' | 'removed' | 'changed' | 'unchanged'
  /** The ids of versions and delete markers that are removed. */
  readonly removes: readonly string[]
  /** The ids of versions and delete markers that come back. */
  readonly restores: readonly string[]
  /** The annotations that get the value which they had. */
  readonly annotates: readonly AnnotationKind[]
}

/** The change of a setting of a bucket. */
export interface UndoneSetting {
  readonly kind: 'setting'
  readonly bucket: string
  readonly setting: SettingKind | 'Versioning'
  /** The value that it gets. Absent: none. */
  readonly value?: unknown
}

/** A bucket that comes back, or is deleted. */
export interface UndoneBucket {
  readonly kind: 'bucket'
  readonly bucket: string
  readonly action: 'restore' | 'delete'
}

/** What an undo leaves as it is, although a chosen event changed it. */
export interface UndoConflict {
  readonly bucket: string
  readonly key?: string
  readonly setting?: SettingKind | 'Versioning'
  /**
   * `changed`: others changed it after a chosen event. `locked`: a version that would be removed is locked. `bucket`: its
   * bucket is gone, or is another one. `refused`: it was changed while the undo was planned, or has another null version.
   */
  readonly reason: 'changed' | 'locked' | 'bucket' | 'refused'
  /** The last event of others. */
  readonly seq?: Seq
  readonly at?: Date
  readonly by?: Actor
}

/** An undo that was planned or done. */
export interface UndoResult {
  /** The number of chosen events. */
  readonly events: number
  /** The position of the state that was planned in. */
  readonly planned: Seq
  /** The request id of its events: `undo({ requestId: id })` undoes the undo. Absent: nothing was changed. */
  readonly id?: string
  /** What was done; with `dryRun`, what would be done. */
  readonly entries: readonly UndoEntry[]
  readonly conflicts: readonly UndoConflict[]
  /** Keys with versions that cannot come back, because their bytes were erased. They stay as they are, unless forced. */
  readonly erased: readonly { readonly bucket: string; readonly key: string; readonly versionIds: readonly string[] }[]
  /** Chosen events that have no inverse, by type: uploads, erasures, locks that would get weaker, and others. */
  readonly left: readonly { readonly type: EventType; readonly events: number }[]
}

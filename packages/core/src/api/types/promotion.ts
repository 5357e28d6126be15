import type { Epoch } from '../../base/epoch.ts'
import type { Seq } from '../../ports/index.ts'

/** Options of `promote`. */
export interface PromoteOptions {
  /** Depose whoever has the replica, also a writer that was not followed. @default false */
  readonly takeOver?: boolean
  /**
   * The replica is lost: nobody is deposed, and events that were not applied are not looked for. A store that still writes the replica goes
   * on without knowing of this one. @default false
   */
  readonly withoutReplica?: boolean
}

/** The result of a promotion. */
export interface Promotion {
  /** The position of `EpochBegun`, the first event of the store's own. */
  readonly seq: Seq
  readonly epoch: Epoch
  /** The address of the replica, without parameters. */
  readonly replica: string
  /** The writer that was deposed, by the name that it gave itself. Absent if there was none, or with `withoutReplica`. */
  readonly deposed?: { readonly name: string; readonly term: number }
}

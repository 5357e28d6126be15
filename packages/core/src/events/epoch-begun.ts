import type { Epoch } from '../base/epoch.ts'
import type { Tip } from '../ports/index.ts'

/**
 * The log continues from an earlier position than the one it once reached elsewhere: the events from here on are another
 * branch. They carry the epoch, and so do the ids of the versions and uploads that they add.
 */
export interface EpochBegun {
  readonly epoch: Epoch
  /** The last event that both branches have, as it was when the epoch began. */
  readonly from: Tip
  /**
   * `restored`: from a copy. `promoted`: the store was a copy that followed another one. `salvaged`: the end of the log was
   * lost.
   */
  readonly reason: 'restored' | 'promoted' | 'salvaged'
  /** Where the events before come from: a name for people, without secrets. */
  readonly source?: string
}

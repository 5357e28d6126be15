/** The commands that state what happened to the log, or to stored bytes. */
import type { BytesHealed, EpochBegun } from '../events/index.ts'

/** The data of each command, by type. */
export interface LogCommands {
  /** The first command of a store that was restored to an earlier position, or that was a copy of another one. */
  readonly BeginEpoch: EpochBegun
  /** Sent by the store itself: damaged bytes were taken from a copy. */
  readonly HealBytes: BytesHealed
}

/** What the commit writer works with. */
import type { StorageError } from '../base/errors.ts'
import type { Confirmation, Hashing, Journal, Tip } from '../ports/index.ts'
import type { Observing } from '../observing/observing.ts'
import type { TurnTaking } from '../scheduling/turn-taking.ts'
import type { Sharing } from '../sharing/sharing.ts'
import type { HotRows } from '../views/hot-rows.ts'
import type { OpenParts } from '../views/open-parts.ts'
import type { KnownLog } from './known-log.ts'
import type { Recorder } from './recorder.ts'

export interface CommitWriterOptions {
  readonly journal: Journal
  readonly hashing: Hashing
  readonly recorder: Recorder
  /** Notified before and after every commit. */
  readonly hot: HotRows
  readonly turns: TurnTaking
  readonly sharing: Sharing
  /** Resolves when the views have every event again. Called if another engine computes them now, or left them. */
  readonly completeViews: () => Promise<void>
  readonly openParts: OpenParts
  /** The part of the log that this engine knows. */
  readonly known: KnownLog
  /** Measures each group. Absent: nothing is measured. */
  readonly observing?: Observing | undefined
  /** The maximum number of commands in one batch. */
  readonly groupMax: number
  /**
   * Called after each commit, before its results: makes the tip durable outside the journal. An error fails the commit.
   */
  readonly writeWitness?: (end: Tip) => Promise<void>
  /** Must have a commit before its results are given. */
  readonly confirmation?: Confirmation | undefined
  /** Set if no command may be committed: the error that every command gets. */
  readonly refusal?: StorageError
}

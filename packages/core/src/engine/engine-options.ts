/** What an engine is made of, besides its ports. */
import type { ActiveReads } from '../content/active-reads.ts'
import type { Observing } from '../observing/observing.ts'
import type { Sharing } from '../sharing/sharing.ts'
import type { StoreClock } from '../time/store-clock.ts'
import type { LogEnd } from './recorder.ts'
import type { StoreOptions } from './store-options.ts'

export interface EngineOptions {
  readonly inlineMax: number
  readonly groupMax: number
  readonly retentionMs: number
  readonly hotBytes: number
  readonly lifecycleDayMs: number
  readonly witness: StoreOptions['witness']
  /** Refuses every write with `ReadOnly`. @default false */
  readonly readOnly?: boolean
  /** The log gets the events of another store, and refuses commands with `ReadOnly` until it is promoted. @default false */
  readonly isFollowing?: boolean
  /** How old the state may be that reads of a shared journal show, in milliseconds; 0: the newest. */
  readonly staleMs: number
  /** Absent: nothing is measured. */
  readonly observing?: Observing | undefined
}

/** What the opening of a log gives its engine. */
export interface EngineParts {
  readonly end: LogEnd
  readonly clock: StoreClock
  readonly sharing: Sharing
  readonly reads: ActiveReads
}

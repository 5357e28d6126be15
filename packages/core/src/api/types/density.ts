/** How many events the log has over time. */
import type { EventFilter } from '../../following/event-filter.ts'
import type { Moment } from '../../moments/moment.ts'
import type { Seq } from '../../ports/index.ts'
import type { Cancelable } from './cancelable.ts'

/** A part of the log, and which of its events count. */
export interface DensityOptions extends EventFilter, Cancelable {
  /** Begins after this moment. @default the first event */
  readonly since?: Moment
  /** Ends with this moment. @default the last event */
  readonly until?: Moment
  /** How many slices of equal length the time is divided into, at most 1000. A slice has at least a millisecond. @default 100 */
  readonly steps?: number
  /**
   * The most events that are read to find those that match the filter, at most 100,000; each slice with events gets one.
   * @default 4000
   */
  readonly readsMax?: number
}

/** The events after `from`, up to `until`. */
export interface DensitySlice {
  readonly from: Date
  readonly until: Date
  /** The position of the log at `until`: what the store was then. */
  readonly last: Seq
  /** All events, exactly. */
  readonly events: number
  /** Those that match the filter. An estimate from a sample unless `isExact`. */
  readonly matching: number
  readonly isExact: boolean
}

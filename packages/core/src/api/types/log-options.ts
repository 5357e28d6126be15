/** Options of calls that read the log. */
import type { EventFilter } from '../../following/event-filter.ts'
import type { Moment } from '../../moments/moment.ts'
import type { Seq } from '../../ports/index.ts'
import type { Cancelable } from './cancelable.ts'

/** A part of the log, by positions. */
export interface LogSpan extends Cancelable {
  /** The first position. @default 1 */
  readonly from?: Seq
  /** The last position, inclusive. @default the end of the log at the time of the call; none with `follow` */
  readonly to?: Seq
  /** Continues with new events until the signal aborts or the store closes. @default false */
  readonly follow?: boolean
}

/** Which events of the log are read. An event must match all options that are present. */
export interface LogOptions extends LogSpan, EventFilter {
  /** Only events after this moment. A time before the first event means the whole log. */
  readonly since?: Moment
  /** Only events up to this moment. A time before the first event means no event. */
  readonly until?: Moment
}

export interface NotificationOptions extends LogSpan {
  /** Only notifications of this bucket. @default all buckets */
  readonly bucket?: string
  /**
   * Called after each event that gives no notification, with its position. A reader that stores its position can store this
   * one too, so that it does not read these events again. The next event is read when its promise has resolved.
   */
  readonly onPassed?: (seq: Seq) => void | Promise<void>
}

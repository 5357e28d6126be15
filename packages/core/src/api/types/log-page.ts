/** The log backwards, page by page. */
import type { RecordedEvent } from '../../events/index.ts'
import type { EventFilter } from '../../following/event-filter.ts'
import type { Seq } from '../../ports/index.ts'
import type { Cancelable } from './cancelable.ts'

/** Which events a page has. */
export interface LogPageOptions extends EventFilter, Cancelable {
  /** Only events before this position: `next` of the page before. @default the whole log */
  readonly before?: Seq
  /** The most events of the page, at most 1000. @default 100 */
  readonly limit?: number
  /** The most events that are read to find those that match the filter, at most 100,000. @default 10,000 */
  readonly readsMax?: number
}

/** Events of the log, the newest first. */
export interface LogPage {
  /** None, if none of the events that were read match. There can still be older ones: see `next`. */
  readonly events: readonly RecordedEvent[]
  /** `before` of the next page, which has older events. Absent at the beginning of the log. */
  readonly next?: Seq
}

/** Options of subscriptions. */
import type { EventFilter } from '../../following/event-filter.ts'
import type { Moment } from '../../moments/moment.ts'
import type { Cancelable } from './cancelable.ts'

/** How a subscription is opened. */
export interface SubscriptionOptions extends Cancelable {
  /**
   * A new subscription begins after this moment; a time before the first event means the whole log. One that is there
   * continues after its cursor. @default 0, the whole log
   */
  readonly from?: Moment
  /** Only matching events are delivered. @default the filter that the subscription has; all events for a new one */
  readonly filter?: EventFilter
  /** Gives the subscription this filter if it has another one. The cursor stays. @default false */
  readonly replace?: boolean
  /**
   * Keeps the bytes of versions that are removed after the cursor, whatever the retention says, so that a consumer can read
   * what its events are about. They stay until their events are acknowledged, or the subscription is dropped.
   * @default as the subscription has it; false for a new one
   */
  readonly keepBytes?: boolean
  /** The most events of one batch, 1 to 1000. It has fewer if they have more than 128 KiB. @default 100 */
  readonly batchMax?: number
  /**
   * How long a batch may stay unacknowledged before another holder can take the subscription, in milliseconds, 100 to
   * 86,400,000. @default 30,000
   */
  readonly leaseMs?: number
}

/** Options of reading the log. */
import type { Seq } from '../../ports/index.ts'
import type { Cancelable } from './cancelable.ts'

export interface LogOptions extends Cancelable {
  /** The first position. @default 1 */
  readonly from?: Seq
  /** The last position, inclusive. @default the end of the log at the time of the call; none with `follow` */
  readonly to?: Seq
  /** Continues with new events until the signal aborts or the store closes. @default false */
  readonly follow?: boolean
}

export interface NotificationOptions extends LogOptions {
  /** Only notifications of this bucket. @default all buckets */
  readonly bucket?: string
}

/** What reading the log takes. */
import type { Seq } from '../../ports/index.ts'
import type { Cancelable } from './cancelable.ts'

export interface LogOptions extends Cancelable {
  /** First position. Default 1. */
  readonly from?: Seq
  /** Last position, inclusive. Default: the end of the log when the call is made; with `follow`, none. */
  readonly to?: Seq
  /** Goes on with events as they are committed, until the signal aborts or the store closes. Default `false`. */
  readonly follow?: boolean
}

export interface NotificationOptions extends LogOptions {
  /** Of this bucket alone. Default: of all. */
  readonly bucket?: string
}

/** Options of transactions. */
import type { Cancelable } from './cancelable.ts'

export interface TransactionOptions extends Cancelable {
  /** How often the function is called at most, if others change what it has read. @default 10 */
  readonly attempts?: number
}

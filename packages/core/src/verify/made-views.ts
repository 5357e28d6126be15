/** Computes the views again while the log is walked, so that each event is read and decoded only once. */
import type { Soon } from '../base/soon.ts'
import type { DecodedEvent } from '../events/event-codec.ts'
import type { Hashing, Journal, RowReader } from '../ports/index.ts'
import { Fold } from '../engine/fold.ts'

export interface MadeRows {
  readonly rows: RowReader
  /** An upper bound of the number of rows. */
  readonly rowsMax: number
}

export class MadeViews {
  readonly #scratch: Journal
  readonly #fold: Fold
  #failure: { readonly cause: unknown } | undefined

  constructor(scratch: Journal, hashing: Hashing) {
    this.#scratch = scratch
    this.#fold = new Fold(scratch, hashing)
  }

  /** A damaged event may be inconsistent. The walk of the log reports it, so errors here are kept until `finish`. */
  readonly onSound = (decoded: DecodedEvent): Soon<void> => {
    if (this.#failure !== undefined) return undefined
    try {
      const reading = this.#fold.take(decoded)
      if (reading !== undefined || this.#fold.full) return this.#settle(reading)
    } catch (cause) {
      this.#failure = { cause }
    }
    return undefined
  }

  /** Only for a log that is whole. @throws the error that prevented computing the views. */
  async finish(): Promise<MadeRows> {
    if (this.#failure !== undefined) throw this.#failure.cause
    await this.#fold.finish()
    return { rows: this.#scratch, rowsMax: this.#fold.changed }
  }

  async #settle(reading: Soon<void>): Promise<void> {
    try {
      await reading
      if (this.#fold.full) await this.#fold.flush()
    } catch (cause) {
      this.#failure = { cause }
    }
  }
}

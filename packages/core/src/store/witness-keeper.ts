/**
 * Keeps the witness near the tip: at most one write a second after commits, and one when the store is closed. It is
 * not ordered with commits, so it may lag; it is written after them, so it never runs ahead.
 */
import type { Clock, Tip, Witness } from '../ports/index.ts'

const intervalMs = 1000

export class WitnessKeeper {
  readonly #clock: Clock
  readonly #witness: Witness | undefined
  #writtenAt = Number.NEGATIVE_INFINITY
  #writing: Promise<void> | undefined

  constructor({ clock, witness }: { readonly clock: Clock; readonly witness?: Witness }) {
    this.#clock = clock
    this.#witness = witness
  }

  /** A failure to write is no failure of the commit: the witness just lags. */
  note(tip: Tip): void {
    const now = this.#clock.now()
    if (this.#witness === undefined || this.#writing !== undefined || Math.abs(now - this.#writtenAt) < intervalMs)
      return
    this.#writtenAt = now
    this.#writing = this.#witness
      .write({ seq: tip.seq, hash: tip.hash })
      .catch(() => undefined)
      .finally(() => {
        this.#writing = undefined
      })
  }

  async close(tip: Tip): Promise<void> {
    await this.#writing
    if (tip.seq > 0) await this.#witness?.write({ seq: tip.seq, hash: tip.hash })
  }
}

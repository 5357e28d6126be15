/** Limits the rate of background work: after reading bytes, it waits for the time that they may take at this rate. */
import type { Timer } from '../ports/index.ts'

/** Shorter waits are accumulated, because timers are not more precise than this. */
const pauseMsMin = 20
/** Longer waits are divided, so that progress is visible after a large step. */
const pauseMsMax = 1000

export class Pace {
  readonly #timer: Timer | undefined
  readonly #bytesPerMs: number
  readonly #signal: AbortSignal | undefined
  #owedMs = 0

  /** Without a rate it never waits. */
  constructor(timer: Timer | undefined, bytesPerSecond: number | undefined, signal: AbortSignal | undefined) {
    this.#timer = timer
    this.#bytesPerMs = (bytesPerSecond ?? Number.POSITIVE_INFINITY) / 1000
    this.#signal = signal
  }

  async spend(bytes: number): Promise<void> {
    this.#signal?.throwIfAborted()
    this.#owedMs += bytes / this.#bytesPerMs
    while (this.#owedMs >= pauseMsMin && this.#timer !== undefined) {
      const ms = Math.min(this.#owedMs, pauseMsMax)
      this.#owedMs -= ms
      await this.#timer.pause(ms, this.#signal)
    }
  }
}

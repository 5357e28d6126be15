/** Keeps background work to a rate: for every byte that was read, it waits as long as that byte is worth. */
import type { Timer } from '../ports/index.ts'

/** Shorter waits are saved up: a timer is no finer than that. */
const pauseMsMin = 20
/** Longer ones are cut up, so that one large step does not look like a standstill. */
const pauseMsMax = 1000

export class Pace {
  readonly #timer: Timer | undefined
  readonly #bytesPerMs: number
  readonly #signal: AbortSignal | undefined
  #owedMs = 0

  /** Without a rate nothing is waited for. */
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

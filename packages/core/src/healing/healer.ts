/**
 * Heals stored bytes from copies: what many readers find damaged is healed once, and every wait of a reader has a limit. What no copy has stays as it
 * is, and is looked for again after a while.
 */
import type { DamagedBytes, Heal } from '../content/damaged-bytes.ts'
import type { Clock, Timer } from '../ports/index.ts'
import { Gate } from '../scheduling/gate.ts'

/** What a healer uses of the store. */
export interface HealerParts {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly timer: Timer
  /** Resolves with true if the bytes are as they were written. Ends soon after the signal aborts. */
  healOnce(damaged: DamagedBytes, signal: AbortSignal): Promise<boolean>
}

/** How long a read waits for a healing, which then goes on without it, in milliseconds. */
const healWaitMs = 10_000
/** What could not be healed is not tried again sooner, in milliseconds. */
const retryMs = 60_000
const healingsAtOnce = 2
/** More damage than this is not healed at the same time: it is found again later. */
const waitingMax = 1000
const failedMax = 10_000

export class Healer {
  readonly #parts: HealerParts
  readonly #gate = new Gate(healingsAtOnce)
  readonly #running = new Map<string, Promise<boolean>>()
  /** When healing failed last, by the monotonic clock. */
  readonly #failed = new Map<string, number>()
  readonly #ending = new AbortController()

  constructor(parts: HealerParts) {
    this.#parts = parts
  }

  /** Resolves with true when the bytes are as they were written, and with false if they cannot be healed now. */
  readonly heal: Heal = (damaged) => {
    const name = `${damaged.what} ${damaged.blob.id}`
    const running = this.#running.get(name)
    if (running !== undefined) return running
    if (this.#isRefused(name)) return Promise.resolve(false)
    const healing = this.#gate
      .pass('', () => this.#heal(damaged))
      .then((isHealed) => {
        this.#note(name, isHealed)
        return isHealed
      })
      .finally(() => this.#running.delete(name))
    this.#running.set(name, healing)
    return healing
  }

  /** As `heal`, but resolves with false if that takes too long for a client that waits. */
  readonly healSoon: Heal = async (damaged) => {
    const waiting = new AbortController()
    const late = this.#parts.timer.pause(healWaitMs, waiting.signal).then(
      () => false,
      () => false,
    )
    try {
      return await Promise.race([this.heal(damaged), late])
    } finally {
      waiting.abort()
    }
  }

  /** Ends what is under way. Nothing is healed from now on. */
  async end(): Promise<void> {
    this.#ending.abort()
    await Promise.allSettled(this.#running.values())
  }

  async #heal(damaged: DamagedBytes): Promise<boolean> {
    const { signal } = this.#ending
    try {
      return !signal.aborted && (await this.#parts.healOnce(damaged, signal))
    } catch {
      // The reader has the error of the damage, which tells more.
      return false
    }
  }

  #isRefused(name: string): boolean {
    if (this.#ending.signal.aborted || this.#running.size >= waitingMax) return true
    const failedAt = this.#failed.get(name)
    return failedAt !== undefined && this.#parts.clock.monotonic() - failedAt < retryMs
  }

  #note(name: string, isHealed: boolean): void {
    this.#failed.delete(name)
    if (isHealed) return
    this.#failed.set(name, this.#parts.clock.monotonic())
    const [oldest] = this.#failed.keys()
    if (this.#failed.size > failedMax && oldest !== undefined) this.#failed.delete(oldest)
  }
}

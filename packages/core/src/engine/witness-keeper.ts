/**
 * Keeps the witness near the tip. A first commit writes it at once; while commits go on it is written once a second, and when they
 * pause, once more after a quarter of a second. It is written after the commits that it names, so it never runs ahead.
 */
import type { Clock, Timer, Tip, Witness } from '../ports/index.ts'

/** Between two writes while commits go on. */
const busyMs = 1000
/** After the last commit. */
const idleMs = 250

export interface WitnessPorts {
  readonly clock: Clock
  readonly witness?: Witness
  /** Without one, what is committed within a second of a write is not in the witness before the next commit or the end. */
  readonly timer?: Timer
}

export class WitnessKeeper {
  readonly #clock: Clock
  readonly #witness: Witness | undefined
  readonly #timer: Timer | undefined
  readonly #closing = new AbortController()
  #tip: Tip | undefined
  #tipAt = 0
  #written: Tip | undefined
  #writtenAt = Number.NEGATIVE_INFINITY
  #following: Promise<void> | undefined

  constructor({ clock, witness, timer }: WitnessPorts) {
    this.#clock = clock
    this.#witness = witness
    this.#timer = timer
  }

  /** Takes note of a commit. A failure to write is no failure of the commit: the witness just lags. */
  note(tip: Tip): void {
    if (this.#witness === undefined) return
    this.#tip = tip
    this.#tipAt = this.#clock.monotonic()
    this.#following ??= this.#follow().finally(() => {
      this.#following = undefined
    })
  }

  /** Resolves when the witness is durable. @throws what its writing throws */
  async write(tip: Tip): Promise<void> {
    if (this.#witness === undefined || tip.seq === 0) return
    this.#writtenAt = this.#clock.monotonic()
    await this.#witness.write({ seq: tip.seq, hash: tip.hash })
    this.#written = tip
  }

  /** Writes no more by itself; resolves when no write is under way. */
  async stop(): Promise<void> {
    this.#closing.abort()
    await this.#following
  }

  /** Writes until the last tip is written, or cannot be. */
  async #follow(): Promise<void> {
    while (this.#tip !== undefined && this.#tip !== this.#written && !this.#closing.signal.aborted) {
      const wait = this.#dueIn()
      if (wait > 0) {
        if (!(await this.#pause(wait))) return
        continue
      }
      const tip = this.#tip
      try {
        await this.write(tip)
      } catch {
        // Not again before the next commit.
        if (tip === this.#tip) return
      }
    }
  }

  /** Milliseconds until the tip is to be written. */
  #dueIn(): number {
    const now = this.#clock.monotonic()
    const busy = this.#writtenAt + busyMs - now
    return this.#timer === undefined ? busy : Math.min(busy, this.#tipAt + idleMs - now)
  }

  async #pause(ms: number): Promise<boolean> {
    if (this.#timer === undefined) return false
    try {
      await this.#timer.pause(ms, this.#closing.signal)
      return true
    } catch {
      return false
    }
  }
}

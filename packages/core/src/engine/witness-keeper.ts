/**
 * Keeps the witness near the tip. The first commit writes it at once. During commits it is written once a second, and
 * once more a quarter of a second after they pause. It is written after the commits that it names, so it never runs
 * ahead.
 */
import type { Clock, Timer, Tip, Witness } from '../ports/index.ts'

/** Milliseconds between two writes during commits. */
const busyMs = 1000
/** Milliseconds from the last commit to the final write. */
const idleMs = 250

export interface WitnessPorts {
  readonly clock: Clock
  readonly witness?: Witness
  /** If absent, a commit within a second of the last write is not in the witness until the next commit or the close. */
  readonly timer?: Timer
}

export class WitnessKeeper {
  readonly #clock: Clock
  readonly #witness: Witness | undefined
  readonly #timer: Timer | undefined
  readonly #closing = new AbortController()
  #tip: Tip | undefined
  #tipAt = 0
  /** When the oldest tip was noted that is not written. */
  #behindFrom: number | undefined
  #written: Tip | undefined
  #writtenAt = Number.NEGATIVE_INFINITY
  #isFollowing = false
  #following: Promise<void> | undefined

  constructor({ clock, witness, timer }: WitnessPorts) {
    this.#clock = clock
    this.#witness = witness
    this.#timer = timer
  }

  /** Notes a commit. A failed write does not fail the commit: the witness only falls behind. */
  note(tip: Tip): void {
    if (this.#witness === undefined) return
    this.#witness.note?.(tip)
    this.#tip = tip
    this.#tipAt = this.#clock.monotonic()
    if (tip.seq !== this.#written?.seq) this.#behindFrom ??= this.#tipAt
    if (!this.#isFollowing) this.#following = this.#follow()
  }

  /** Resolves when the witness is durable. @throws the error of the write */
  async write(tip: Tip): Promise<void> {
    if (this.#witness === undefined || tip.seq === 0) return
    const begun = this.#clock.monotonic()
    this.#writtenAt = begun
    await this.#witness.write({ seq: tip.seq, hash: tip.hash })
    this.#written = tip
    this.#behindFrom = this.#tip === undefined || this.#tip.seq <= tip.seq ? undefined : begun
  }

  /** How long the witness has lacked events that were noted, in milliseconds; 0 if it lacks none. */
  get lagMs(): number {
    return this.#behindFrom === undefined ? 0 : this.#clock.monotonic() - this.#behindFrom
  }

  /**
   * As `write`, when the store closes. On a shared journal other engines write the witness too, so a medium that is away
   * does not fail the closing.
   */
  async writeLast(tip: Tip, { isShared }: { readonly isShared: boolean }): Promise<void> {
    const written = this.write(tip)
    await (isShared ? written.catch(() => undefined) : written)
  }

  /** Ends the automatic writes; resolves when no write is running. */
  async stop(): Promise<void> {
    this.#closing.abort()
    await this.#following
  }

  /**
   * Writes until the last tip is written, or until a write fails. It says that it has ended in the same step in which it
   * finds nothing to do: otherwise a commit in between would go unnoticed.
   */
  async #follow(): Promise<void> {
    this.#isFollowing = true
    try {
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
          // Do not retry before the next commit.
          if (tip === this.#tip) return
        }
      }
    } finally {
      this.#isFollowing = false
    }
  }

  /** Milliseconds until the next write is due. */
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

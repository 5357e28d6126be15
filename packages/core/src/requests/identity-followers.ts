/**
 * The servers of this process that decide requests by the identities of the log. A change of identities is answered only
 * when all of them, and their workers, use it: a request that begins after the answer is decided by the new state.
 */
import { StorageError } from '../base/errors.ts'
import { onAbort } from '../base/on-abort.ts'
import { type RecordedEvent, isIdentityEvent } from '../events/index.ts'
import type { Clock, Seq, Timer } from '../ports/index.ts'

/** How long an answer waits, in milliseconds. Workers that do not confirm are ended long before. */
const waitMs = 15_000

/** How old identities may be that a server decides by, if other engines can change them, in milliseconds. */
const ageMaxMs = 1000

/** One server. */
export interface IdentityFollower {
  /** From now on it decides by every change up to this position. */
  applied(seq: Seq): void
  /** It decides nothing any more. */
  end(): void
}

/** The log, which other engines may extend. */
export interface FollowedIdentities {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly timer?: Timer | undefined
  /** How old the state may be that reads show. @default 0 */
  readonly staleMs?: number
  /** Resolves when this engine has followed the log up to its current end; `undefined` if it always has. */
  fresh(): Promise<void> | undefined
}

interface Commits {
  add(listener: (events: readonly RecordedEvent[]) => void): unknown
}

export class IdentityFollowers {
  /** The position that each follower has applied. */
  readonly #positions = new Map<IdentityFollower, Seq>()
  readonly #waiting = new Set<() => void>()
  readonly #log: FollowedIdentities
  #latest: Seq = 0
  #isClosed = false
  /** All that was answered before this moment of the monotonic clock is in use here. */
  #knownAt = Number.NEGATIVE_INFINITY
  #asking: Promise<void> | undefined

  /** `commits` are announced before their results. The last one, without events, says that the store closes. */
  constructor(commits: Commits, log: FollowedIdentities) {
    this.#log = log
    commits.add((events) => {
      for (const { type, seq } of events) if (isIdentityEvent(type)) this.#latest = seq
      if (events.length > 0) return
      this.#isClosed = true
      this.#look()
    })
  }

  /** Changes are answered only when this follower has applied them, until it ends. */
  add(): IdentityFollower {
    const follower: IdentityFollower = {
      applied: (seq) => {
        if (!this.#positions.has(follower)) return
        this.#positions.set(follower, seq)
        this.#look()
      },
      end: () => {
        this.#positions.delete(follower)
        this.#look()
      },
    }
    this.#positions.set(follower, 0)
    return follower
  }

  /**
   * Call it before a request is judged. Resolves when all followers have applied every change that any engine answered a second
   * ago, or as long ago as reads may be old; `undefined` if they have. So a process that was paused, or whose database did not answer,
   * decides nothing by identities of before. @throws as `current` does; what reading the end of the log throws
   */
  recent(): Promise<void> | undefined {
    const { clock, staleMs = 0 } = this.#log
    const from = clock.monotonic() - Math.max(ageMaxMs, staleMs)
    return this.#knownAt >= from ? undefined : this.#knowFrom(from)
  }

  #knowFrom(from: number): Promise<void> | undefined {
    const asking = this.#ask()
    return asking?.then(() => (this.#knownAt >= from ? undefined : this.#knowFrom(from)))
  }

  /** Asks once for all who wait. `undefined` for an engine that is alone: it has committed every change. */
  #ask(): Promise<void> | undefined {
    if (this.#asking !== undefined) return this.#asking
    const began = this.#log.clock.monotonic()
    const followed = this.#log.fresh()
    if (followed === undefined) {
      this.#knownAt = Number.POSITIVE_INFINITY
      return undefined
    }
    const known = followed.then(() => this.current())
    this.#asking = known
      .then(() => {
        this.#knownAt = began
      })
      .finally(() => {
        this.#asking = undefined
      })
    return this.#asking
  }

  /**
   * Resolves when all followers have applied every change that is committed now.
   * @throws StorageError `InternalError` if one of them does not in time, `StoreClosed`. The change is committed all the same.
   */
  async current(): Promise<void> {
    const { timer } = this.#log
    const seq = this.#latest
    if (this.#haveApplied(seq)) return
    const end = new AbortController()
    try {
      const applied = new Promise<void>((resolve) => this.#waitFor(seq, resolve, end.signal))
      // The pause ends with a rejection when the wait is over.
      const late = timer?.pause(waitMs, end.signal)
      late?.catch(() => undefined)
      await Promise.race(late === undefined ? [applied] : [applied, late])
    } finally {
      end.abort()
    }
    if (this.#haveApplied(seq)) return
    if (this.#isClosed) throw new StorageError('StoreClosed', 'The store was closed before its server used the change.')
    throw new StorageError('InternalError', unapplied, { details: { kind: 'unapplied', seq } })
  }

  #haveApplied(seq: Seq): boolean {
    return [...this.#positions.values()].every((applied) => applied >= seq)
  }

  #waitFor(seq: Seq, resolve: () => void, signal: AbortSignal): void {
    const look = (): void => {
      if (this.#isClosed || this.#haveApplied(seq)) resolve()
    }
    this.#waiting.add(look)
    onAbort(signal, () => this.#waiting.delete(look))
    look()
  }

  #look(): void {
    for (const look of this.#waiting) look()
  }
}

const unapplied =
  'The change of identities is in the log, and a server of the store does not use it yet. The server tries again by itself.'

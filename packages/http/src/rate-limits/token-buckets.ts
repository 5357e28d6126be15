/** Token buckets, one for each name: requests at a steady rate, with a burst. */

/** How many requests there can be. */
export interface RateLimit {
  /** Requests per second, in the long run. */
  readonly perSecond: number
  /** The most requests at once, after a pause. @default twice `perSecond`, at least 1 */
  readonly burst?: number
}

/** A name that is not among the most recent ones begins again with a full bucket. */
const namesMax = 10_000

interface Bucket {
  readonly tokens: number
  /** When it had these tokens, in milliseconds. */
  readonly at: number
}

export class TokenBuckets {
  readonly #perMs: number
  readonly #burst: number
  readonly #now: () => number
  /** The name that was used last comes last. */
  readonly #buckets = new Map<string, Bucket>()

  /** @param now Milliseconds that never go back. */
  constructor(
    { perSecond, burst = Math.max(1, 2 * perSecond) }: RateLimit,
    now: () => number = () => performance.now(),
  ) {
    this.#perMs = perSecond / 1000
    this.#burst = burst
    this.#now = now
  }

  /** How many names have a bucket. */
  get size(): number {
    return this.#buckets.size
  }

  /** Takes a token. Without one, returns how many milliseconds it takes until there is one, and takes nothing. */
  take(name: string): number | undefined {
    const at = this.#now()
    const before = this.#buckets.get(name)
    const filled = before === undefined ? this.#burst : before.tokens + (at - before.at) * this.#perMs
    const tokens = Math.min(this.#burst, filled)
    this.#buckets.delete(name)
    if (this.#buckets.size >= namesMax) this.#forgetOldest()
    this.#buckets.set(name, { tokens: tokens < 1 ? tokens : tokens - 1, at })
    return tokens < 1 ? (1 - tokens) / this.#perMs : undefined
  }

  #forgetOldest(): void {
    for (const name of this.#buckets.keys()) {
      this.#buckets.delete(name)
      return
    }
  }
}

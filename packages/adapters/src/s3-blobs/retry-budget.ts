/**
 * Limits retries over all requests: without a limit, each outage of the server would meet several times the usual load.
 * A request that succeeds earns a part of a retry.
 */

const tokensMax = 100
const earned = 0.1

export class RetryBudget {
  #tokens = tokensMax

  earn(): void {
    this.#tokens = Math.min(tokensMax, this.#tokens + earned)
  }

  /** False if there is no retry left. */
  spend(): boolean {
    if (this.#tokens < 1) return false
    this.#tokens--
    return true
  }
}

const baseMs = 100
const longestMs = 5_000

/** A random pause before retry `n`, the first being 0: up to twice as long each time. `random` is from 0 to below 1. */
export const pauseBefore = (n: number, random: number): number => random * Math.min(longestMs, baseMs * 2 ** n)

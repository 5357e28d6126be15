/** Time that a test moves: a wall clock that may be wrong, a clock that only passes, and waits that end when it has passed. */
import type { Clock, Timer } from '../ports/index.ts'

interface Waiting {
  readonly until: number
  readonly signal: AbortSignal | undefined
  resolve(): void
  reject(reason: unknown): void
}

export class SimulatedTime implements Clock, Timer {
  /** How far the wall clock is ahead of what has passed. */
  offset = 1_700_000_000_000
  /** What has truly passed since the beginning. */
  passed = 0
  /** What the monotonic clock did not count. */
  uncounted = 0
  readonly #waiting = new Set<Waiting>()

  now(): number {
    return this.offset + this.passed
  }

  monotonic(): number {
    return this.passed - this.uncounted
  }

  pause(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#waiting.delete(waiting)
        reject(signal?.reason)
      }
      const wake = (): void => {
        signal?.removeEventListener('abort', abort)
        resolve()
      }
      const waiting = { until: this.passed + ms, signal, resolve: wake, reject }
      this.#waiting.add(waiting)
      signal?.addEventListener('abort', abort, { once: true })
      if (signal?.aborted) reject(signal.reason)
    })
  }

  nextTurn(): Promise<void> {
    return settle()
  }

  /** Lets time pass while the process runs: waits end in their order, and what they wake up has its turn. */
  async pass(ms: number): Promise<void> {
    const until = this.passed + ms
    for (;;) {
      const [next] = [...this.#waiting].sort((a, b) => a.until - b.until)
      if (next === undefined || next.until > until) break
      this.passed = Math.max(this.passed, next.until)
      this.#waiting.delete(next)
      next.resolve()
      await settle()
    }
    this.passed = until
    await settle()
  }

  /** Lets time pass while the process does not run. */
  sleep(ms: number, { counted = true }: { readonly counted?: boolean } = {}): void {
    this.passed += ms
    if (!counted) this.uncounted += ms
  }
}

/** Long enough for what has been woken to go on until it waits again. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 300; turn++) await Promise.resolve()
}

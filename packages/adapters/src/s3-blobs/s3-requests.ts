/** Sends requests to the S3 server: each has a deadline, a limited number of repetitions, and a coded error. */
import { setTimeout as pause } from 'node:timers/promises'
import { isStorageError, onAbort } from '@varve/core'
import { pauseBefore, RetryBudget } from './retry-budget.ts'
import { faultOf, isExpired, mayPass, s3Failure, WrongAnswer } from './s3-failure.ts'
import type { Turns } from '../system/turns.ts'
import { s3Turns } from './s3-turns.ts'

export interface RequestLimits {
  /** How long an attempt may take, with the bytes of its answer. */
  readonly timeoutMs: number
  /** The most repetitions of a request. */
  readonly retries: number
  readonly connections: number
  /** Gets new credentials after the server has called them expired. */
  readonly renew: () => Promise<void>
}

export interface RunOptions {
  readonly signal?: AbortSignal | undefined
  /** Replaces the usual number of repetitions. */
  readonly retries?: number
}

/** One try of a request. It ends soon after the signal aborts, and has no effect on memory after that. */
export type Attempt<T> = (signal: AbortSignal) => Promise<T>

const timerMaxMs = 2 ** 31 - 1

export class S3Requests {
  readonly #limits: RequestLimits
  readonly #connections: Turns
  readonly #budget = new RetryBudget()
  /** How often there were new credentials. */
  #renewals = 0
  #renewing: Promise<void> | undefined

  constructor(limits: RequestLimits) {
    this.#limits = limits
    this.#connections = s3Turns(limits.connections, this.longestMs, 'connections')
  }

  get timeoutMs(): number {
    return this.#limits.timeoutMs
  }

  /** How long a request may take with all its repetitions, and so how long it is worth waiting for its end. */
  get longestMs(): number {
    const { timeoutMs, retries } = this.#limits
    return Math.min(timerMaxMs, timeoutMs * (retries + 1))
  }

  /** Whether a request may be sent twice now. */
  mayRepeat(): boolean {
    return this.#budget.spend()
  }

  /**
   * @param doing what fails, for the message
   * @throws StorageError `NoSpace`, `TooManyOpenFiles` or `BlobFailed`; the reason of the signal
   */
  async run<T>(doing: string, attempt: Attempt<T>, options: RunOptions = {}): Promise<T> {
    const beforeNext = this.#repetitions(doing, options)
    for (;;) {
      const renewals = this.#renewals
      try {
        return await this.#try(attempt, options.signal)
      } catch (error) {
        await beforeNext(error, renewals)
      }
    }
  }

  /** Returns a function that waits until a request that failed may be repeated, or throws why it is not. */
  #repetitions(doing: string, { signal, retries = this.#limits.retries }: RunOptions) {
    let isRenewed = false
    let left = retries
    return async (error: unknown, renewals: number): Promise<void> => {
      signal?.throwIfAborted()
      const renews = !isRenewed && isExpired(faultOf(error))
      // Also if this request cannot be repeated: without new credentials, no later one succeeds, and none earns a repetition.
      if (renews) await this.#renew(doing, renewals)
      isRenewed ||= renews
      if (left === 0 || !(renews || this.#isPassing(error)) || !this.#budget.spend()) throw s3Failure(error, doing)
      const ms = pauseBefore(retries - left--, Math.random())
      if (!renews) await pause(ms, undefined, signal && { signal }).catch(() => undefined)
      signal?.throwIfAborted()
    }
  }

  #isPassing(error: unknown): boolean {
    return !isStorageError(error) && mayPass(faultOf(error))
  }

  /** `renewals`: those before the attempt that was refused. Requests that are refused together have one renewal. */
  async #renew(doing: string, renewals: number): Promise<void> {
    if (renewals !== this.#renewals) return
    this.#renewing ??= this.#limits
      .renew()
      .then(() => void this.#renewals++)
      .finally(() => (this.#renewing = undefined))
    try {
      await withinSignal(AbortSignal.timeout(this.#limits.timeoutMs), this.#renewing)
    } catch (error) {
      throw s3Failure(error, doing)
    }
  }

  async #try<T>(attempt: Attempt<T>, signal: AbortSignal | undefined): Promise<T> {
    await this.#connections.take(signal)
    const { timeoutMs } = this.#limits
    const end = new AbortController()
    const stop = (): void => end.abort(signal?.reason)
    const timer = setTimeout(() => end.abort(tooLate(timeoutMs)), timeoutMs)
    const unlisten = signal && onAbort(signal, stop)
    try {
      const result = await attempt(end.signal)
      this.#budget.earn()
      return result
    } catch (error) {
      throw end.signal.aborted ? end.signal.reason : error
    } finally {
      clearTimeout(timer)
      unlisten?.()
      this.#connections.give()
    }
  }
}

const tooLate = (ms: number): WrongAnswer => new WrongAnswer('timeout', `The server did not answer within ${ms} ms.`)

/** Settles as `work` does, or with the reason of the signal; `late` gets a result that comes after it. */
export function withinSignal<T>(
  signal: AbortSignal,
  work: Promise<T>,
  late: (result: T) => void = () => undefined,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason)
    if (signal.aborted) abort()
    const unlisten = onAbort(signal, abort)
    work.then((result) => (signal.aborted ? late(result) : resolve(result)), reject).finally(unlisten)
  })
}

/** A bounded number of places, given out in the order of the requests: for connections and for buffers. */
import { onAbort, StorageError } from '@varve/core'

interface Waiting {
  take(): void
  refuse(reason: unknown): void
}

export interface TurnsOptions {
  readonly max: number
  /** How long a request for a place waits, in milliseconds. */
  readonly waitMs: number
  /** Names the places in errors: `connections` of `the database`. */
  readonly what: { readonly kind: string; readonly of: string }
}

export class Turns {
  readonly #waiting = new Set<Waiting>()
  readonly #waitMs: number
  readonly #what: TurnsOptions['what']
  readonly #max: number
  #free: number
  #ended: { readonly reason: unknown } | undefined

  constructor({ max, waitMs, what }: TurnsOptions) {
    this.#max = max
    this.#free = max
    this.#waitMs = waitMs
    this.#what = what
  }

  get isAwaited(): boolean {
    return this.#waiting.size > 0
  }

  /** How many places are taken, and how many requests wait for one. */
  get use(): { readonly used: number; readonly waiting: number } {
    return { used: this.#max - this.#free, waiting: this.#waiting.size }
  }

  /** Takes a place if one is free now. A place that something waits for is never free. */
  tryTake(): boolean {
    if (this.#free === 0) return false
    this.#free--
    return true
  }

  /** @throws StorageError `TooManyOpenFiles` when none becomes free in time; the reason of the signal or of the end */
  async take(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    if (this.#ended !== undefined) throw this.#ended.reason
    if (this.tryTake()) return
    await new Promise<void>((resolve, reject) => {
      const settle = (end: () => void): void => {
        clearTimeout(timer)
        unlisten?.()
        this.#waiting.delete(waiting)
        end()
      }
      const waiting: Waiting = { take: () => settle(resolve), refuse: (reason) => settle(() => reject(reason)) }
      const abort = (): void => waiting.refuse(signal?.reason)
      const timer = setTimeout(() => waiting.refuse(this.#exhausted()), this.#waitMs)
      const unlisten = signal && onAbort(signal, abort)
      this.#waiting.add(waiting)
    })
  }

  give(): void {
    const [next] = this.#waiting
    if (next === undefined) this.#free++
    else next.take()
  }

  /** Refuses all who wait and all who come. */
  end(reason: unknown): void {
    this.#ended ??= { reason }
    for (const waiting of this.#waiting) waiting.refuse(reason)
  }

  #exhausted(): StorageError {
    const { kind, of } = this.#what
    return new StorageError('TooManyOpenFiles', `All ${kind} of ${of} are in use.`, { details: { kind } })
  }
}

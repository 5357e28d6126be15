/** A bounded number of places, given out in the order of the requests: for connections and for buffers. */
import { StorageError } from '@varve/core'

interface Waiting {
  take(): void
  refuse(reason: unknown): void
}

export class Turns {
  readonly #waiting = new Set<Waiting>()
  readonly #waitMs: number
  readonly #kind: string
  #free: number

  /** @param kind names the places in errors */
  constructor(max: number, waitMs: number, kind: string) {
    this.#free = max
    this.#waitMs = waitMs
    this.#kind = kind
  }

  get isAwaited(): boolean {
    return this.#waiting.size > 0
  }

  /** Takes a place if one is free now. A place that something waits for is never free. */
  tryTake(): boolean {
    if (this.#free === 0) return false
    this.#free--
    return true
  }

  /** @throws StorageError `TooManyOpenFiles` when none becomes free in time; the reason of the signal */
  async take(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    if (this.tryTake()) return
    await new Promise<void>((resolve, reject) => {
      const settle = (end: () => void): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
        this.#waiting.delete(waiting)
        end()
      }
      const waiting: Waiting = { take: () => settle(resolve), refuse: (reason) => settle(() => reject(reason)) }
      const abort = (): void => waiting.refuse(signal?.reason)
      const timer = setTimeout(() => waiting.refuse(this.#exhausted()), this.#waitMs)
      signal?.addEventListener('abort', abort, { once: true })
      this.#waiting.add(waiting)
    })
  }

  give(): void {
    const [next] = this.#waiting
    if (next === undefined) this.#free++
    else next.take()
  }

  #exhausted(): StorageError {
    return new StorageError('TooManyOpenFiles', `All ${this.#kind} of the S3 blob store are in use.`, {
      details: { kind: this.#kind },
    })
  }
}

/**
 * Limits the bytes that requests may hold at once: all together, and per holder (an identity, or the address of an
 * anonymous client). One holder gets at most half, so no client can use up the whole budget.
 */

import { S3Error } from '../errors/errors.ts'

export class ByteBudget {
  readonly #max: number
  readonly #shareMax: number
  readonly #byHolder = new Map<string, number>()
  #held = 0

  constructor(max: number) {
    this.#max = max
    this.#shareMax = Math.ceil(max / 2)
  }

  /** Bytes held by all requests. */
  get held(): number {
    return this.#held
  }

  heldBy(holder: string): number {
    return this.#byHolder.get(holder) ?? 0
  }

  /** @throws S3Error `SlowDown`; then the bytes held stay as they were */
  take(holder: string, bytes: number): void {
    const own = (this.#byHolder.get(holder) ?? 0) + bytes
    if (own > this.#shareMax || this.#held + bytes > this.#max) throw slowDown()
    this.add(holder, bytes)
  }

  /** As `take`, for bytes that are there already: they may exceed the limits, and then others are refused. */
  add(holder: string, bytes: number): void {
    this.#byHolder.set(holder, (this.#byHolder.get(holder) ?? 0) + bytes)
    this.#held += bytes
  }

  /** Refuses a holder whose share is almost used up, before any work is done. @throws S3Error `SlowDown` */
  check(holder: string): void {
    this.take(holder, Math.floor(this.#shareMax / 16))
    this.give(holder, Math.floor(this.#shareMax / 16))
  }

  give(holder: string, bytes: number): void {
    const left = (this.#byHolder.get(holder) ?? 0) - bytes
    this.#held -= bytes
    if (left > 0) this.#byHolder.set(holder, left)
    else this.#byHolder.delete(holder)
  }
}

/** The error for a used-up budget. Answers return their bytes when they end, so a retry a second later may succeed. */
function slowDown(): S3Error {
  return new S3Error('SlowDown', 'Please reduce your request rate.')
}

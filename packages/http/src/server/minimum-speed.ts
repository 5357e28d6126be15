/**
 * A body may take hours, but it must move: a client that sends next to nothing holds a connection and an unfinished write
 * for nothing. Only time spent waiting for the client counts, so a slow disk of ours is not held against it.
 */

import { S3Error } from '../errors/errors.ts'
import { settledWithin } from '../turns/settled-within.ts'

export interface MinimumSpeed {
  /** The least that must come on average over a window. */
  readonly bytesPerSecond: number
  /** Milliseconds of waiting. */
  readonly windowMs: number
}

/** Watches over one body. */
export class SpeedWatch {
  readonly #windowMs: number
  readonly #needed: number
  #left: number
  #received = 0

  constructor({ bytesPerSecond, windowMs }: MinimumSpeed) {
    this.#windowMs = windowMs
    this.#needed = (bytesPerSecond * windowMs) / 1000
    this.#left = windowMs
  }

  received(bytes: number): void {
    this.#received += bytes
  }

  /**
   * Waits until the client has done something.
   * @throws S3Error `RequestTimeout` when a window is over in which too little came.
   */
  async wait(moved: Promise<void>): Promise<void> {
    let since = performance.now()
    while (!(await settledWithin(moved, Math.max(0, this.#left)))) {
      if (this.#received < this.#needed) throw tooSlow()
      this.#received = 0
      this.#left = this.#windowMs
      since = performance.now()
    }
    this.#left -= performance.now() - since
  }
}

function tooSlow(): S3Error {
  return new S3Error(
    'RequestTimeout',
    'Your socket connection to the server was not read from or written to within the timeout period. Idle connections will be closed.',
    { headers: { connection: 'close' } },
  )
}

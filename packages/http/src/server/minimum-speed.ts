/**
 * A body may take hours, but it must make progress: a client that sends almost nothing occupies a connection and an
 * unfinished write. Only time spent waiting for the client counts, so a slow disk of the server does not count against
 * the client.
 */

import { S3Error } from '../errors/errors.ts'
import { settledWithin } from '../turns/settled-within.ts'

export interface MinimumSpeed {
  /** The least average speed over a window. */
  readonly bytesPerSecond: number
  /** The length of a window, in milliseconds of waiting for the client. */
  readonly windowMs: number
}

/** Measures the speed of one body. */
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
   * Waits until the client has sent or received something.
   * @throws S3Error `RequestTimeout` when too few bytes moved during a window
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

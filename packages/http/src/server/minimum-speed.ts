/**
 * A body may take hours, but it must move: a client that sends next to nothing holds a connection and an unfinished write
 * for nothing. Only time spent waiting for the client counts, so a slow disk of ours is not held against it.
 */

import { S3Error } from '../errors.ts'
import { settledWithin } from './settled-within.ts'

export interface MinimumSpeed {
  /** The least that must come on average over a window. */
  readonly bytesPerSecond: number
  /** Milliseconds of waiting. */
  readonly windowMs: number
}

/** Passes the bytes on. @throws S3Error `RequestTimeout`. */
export async function* atLeast(
  source: AsyncIterable<Uint8Array>,
  { bytesPerSecond, windowMs }: MinimumSpeed,
): AsyncGenerator<Uint8Array, void, undefined> {
  const needed = (bytesPerSecond * windowMs) / 1000
  const iterator = source[Symbol.asyncIterator]()
  let left = windowMs
  let received = 0
  let ended = false
  try {
    for (;;) {
      const next = iterator.next()
      let since = performance.now()
      while (!(await settledWithin(next, Math.max(0, left)))) {
        if (received < needed) throw tooSlow()
        received = 0
        left = windowMs
        since = performance.now()
      }
      left -= performance.now() - since
      const { done, value } = await next
      ended = done === true
      if (done === true) return
      received += value.length
      yield value
    }
  } finally {
    // Not awaited: a source that hangs would hang its closing too. Whoever owns the connection ends both.
    if (!ended) iterator.return?.().catch(() => undefined)
  }
}

function tooSlow(): S3Error {
  return new S3Error(
    'RequestTimeout',
    'Your socket connection to the server was not read from or written to within the timeout period. Idle connections will be closed.',
    { headers: { connection: 'close' } },
  )
}

/** Lines that come at any time later, for as long as their caller may have them. */
import { settledWithin } from '../turns/settled-within.ts'

/** How often a quiet answer asks whether its caller may still have it, in milliseconds. */
const askEveryMs = 1000

export interface Allowance {
  /** Aborts when the lines end too. */
  readonly signal: AbortSignal
  readonly whileAllowed: <T>(lines: AsyncIterable<T>) => AsyncIterable<T>
}

/** Without `assertMay`, the lines go on as long as they like. */
export function allowance(signal: AbortSignal, assertMay: (() => void) | undefined): Allowance {
  if (assertMay === undefined) return { signal, whileAllowed: (lines) => lines }
  const ended = new AbortController()
  return {
    signal: AbortSignal.any([signal, ended.signal]),
    whileAllowed: (lines) => untilRefused(lines, assertMay, ended),
  }
}

/**
 * Asks before each line, and now and then while none comes. Temporary credentials end, and a policy may name a time.
 * @throws what `assertMay` throws, and what the lines throw
 */
async function* untilRefused<T>(
  lines: AsyncIterable<T>,
  assertMay: () => void,
  ended: AbortController,
): AsyncGenerator<T> {
  const values = lines[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = values.next()
      // It is not awaited if the caller may no more.
      next.catch(() => undefined)
      while (!(await settledWithin(next, askEveryMs))) assertMay()
      const { done, value } = await next
      if (done === true) return
      assertMay()
      yield value
    }
  } finally {
    // Otherwise lines that wait for the next event would not end.
    ended.abort()
    await values.return?.()
  }
}

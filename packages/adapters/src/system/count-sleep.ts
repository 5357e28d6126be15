/** A clock that stands still while the machine sleeps, made to count that time too. */

/** Reading the uptime costs more than reading a clock, and sleep is noticed soon enough. */
const lookEveryMs = 1000
/** Uptime comes in hundredths of a second, or whole seconds. Less than this is no sleep. */
const noticeableMs = 2000

/**
 * @param awake Milliseconds, never backwards, without the time asleep.
 * @param up Milliseconds with it; may throw where there is no such thing.
 */
export function countSleep(awake: () => number, up: () => number): () => number {
  let lookedAt = Number.NEGATIVE_INFINITY
  let ahead: number | undefined
  let asleep = 0
  return () => {
    const now = awake()
    if (now - lookedAt < lookEveryMs) return now + asleep
    lookedAt = now
    const difference = uptimeOr(up, now) - now
    ahead ??= difference
    if (difference - ahead - asleep > noticeableMs) asleep = difference - ahead
    return now + asleep
  }
}

function uptimeOr(up: () => number, otherwise: number): number {
  try {
    return up()
  } catch {
    return otherwise
  }
}

/** Makes a clock that stops while the machine sleeps count that time too. */

/** Reading the uptime costs more than reading a clock, and this is often enough to notice a sleep. */
const lookEveryMs = 1000
/** The uptime has a resolution of hundredths of a second, or of seconds. A smaller difference is no sleep. */
const noticeableMs = 2000

/**
 * @param awake Returns milliseconds, never decreasing, without the time asleep.
 * @param up Returns milliseconds including that time; may throw if the system has no uptime.
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

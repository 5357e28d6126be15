/** After an attempt that took this long and did not succeed, none is made for so many times as long. */
const longAttemptMs = 500
const restFactor = 20

/** Limits the time that is lost to attempts that do not succeed: during a rest the answer is false at once. */
export function restAfterFailures(attempt: () => Promise<boolean>): () => Promise<boolean> {
  let restUntil = 0
  return async () => {
    const begun = performance.now()
    if (begun < restUntil) return false
    const succeeded = await attempt()
    const took = performance.now() - begun
    if (!succeeded && took > longAttemptMs) restUntil = begun + took * restFactor
    return succeeded
  }
}

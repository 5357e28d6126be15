/** Enough that the disk is asked for some files while others are looked at, and few enough to hold in memory. */
const atOnce = 4

/** A few at a time, answers in order. */
export async function inTurns<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = []
  for (let i = 0; i < items.length; i += atOnce) {
    results.push(...(await Promise.all(items.slice(i, i + atOnce).map(work))))
  }
  return results
}

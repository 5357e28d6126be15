/** Enough that the disk is asked for some files while others are looked at, and few enough to hold in memory. */
const atOnce = 4

/** A few at a time, or `width`; answers in order. */
export async function inTurns<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  width = atOnce,
): Promise<readonly R[]> {
  const results: R[] = []
  for (let i = 0; i < items.length; i += width) {
    results.push(...(await Promise.all(items.slice(i, i + width).map(work))))
  }
  return results
}

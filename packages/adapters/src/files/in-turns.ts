import { allDone } from './all-done.ts'

/** Enough to read some files while others are checked, and few enough to hold in memory. */
const usualWidth = 4

/**
 * `width` items at a time, answers in order. When one fails, no further ones are begun, and those that were begun are done before the
 * failure is thrown.
 */
export async function inTurns<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  width: number = usualWidth,
): Promise<readonly R[]> {
  const results: R[] = []
  for (let i = 0; i < items.length; i += width) {
    results.push(...(await allDone(items.slice(i, i + width).map(work))))
  }
  return results
}

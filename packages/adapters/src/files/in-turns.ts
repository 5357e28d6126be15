import { allDone } from './all-done.ts'

/** Enough to read some files while others are checked, and few enough to fit into memory. */
const usualWidth = 4

/**
 * Works on `width` items at a time and returns the results in order. After a failure no further items begin; those that
 * have begun end before the failure is thrown.
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

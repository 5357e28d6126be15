/**
 * Waits for all promises, then returns their results or throws the error of the first one that failed. Unlike with
 * `Promise.all`, nothing still runs when it settles: no file is open, and nothing changes in a directory whose lock is
 * released next.
 */
export async function allDone<T extends readonly unknown[] | []>(
  works: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(works)
  return Promise.all(works)
}

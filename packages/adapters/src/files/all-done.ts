/**
 * Waits for all, then gives their results or throws the failure of the first that failed. Unlike with `Promise.all`, nothing is under
 * way any more when it settles: no file is open, and nothing changes in a directory whose lock is let go next.
 */
export async function allDone<T extends readonly unknown[] | []>(
  works: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(works)
  return Promise.all(works)
}

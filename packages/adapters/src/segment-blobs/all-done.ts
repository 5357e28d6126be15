/** Waits for all, then reports the first failure: nothing is under way any more when it settles. */
export async function allDone(works: readonly Promise<void>[]): Promise<void> {
  for (const outcome of await Promise.allSettled(works)) if (outcome.status === 'rejected') throw outcome.reason
}

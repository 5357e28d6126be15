/** Waits for both, then reports the first failure: nothing is under way any more when it settles. */
export async function bothDone(...both: readonly Promise<void>[]): Promise<void> {
  for (const outcome of await Promise.allSettled(both)) if (outcome.status === 'rejected') throw outcome.reason
}

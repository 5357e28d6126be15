/**
 * Runs `work` one run at a time, and lets calls share runs. Each call resolves with a run that began after the call, so
 * what was done before the call is done before that run.
 */
export function sharedRuns(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  return () => {
    next ??= running.then(() => {
      next = undefined
      const run = work()
      running = run.catch(() => undefined)
      return run
    })
    return next
  }
}

import { observedCode, type Observing } from '../observing/observing.ts'

/** Runs a job and reports it to the observer, if there is one. An error after `signal` aborted is no failure. */
export function watchJob<T>(
  observing: Observing | undefined,
  { name, signal }: { readonly name: string; readonly signal: AbortSignal },
  work: () => Promise<T>,
): Promise<T> {
  if (observing?.job === undefined) return work()
  const { job, now } = observing
  const began = now()
  const running = work()
  const ended = (failure: { readonly errorCode?: string }) => job({ name, durationMs: now() - began, ...failure })
  void running.then(
    () => ended({}),
    (error: unknown) => ended(signal.aborted ? {} : { errorCode: observedCode(error) }),
  )
  return running
}

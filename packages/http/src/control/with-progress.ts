/** Long work whose progress is shown now and then until it ends. */
import { settledWithin } from '../turns/settled-within.ts'

const progressEveryMs = 200

/** `begin` starts the work, which reports its progress. Returns its result. */
export async function* withProgress<P, R>(
  begin: (onProgress: (progress: P) => void) => Promise<R>,
): AsyncGenerator<{ readonly progress: P }, R> {
  let progress: P | undefined
  const work = begin((now) => (progress = now))
  while (!(await settledWithin(work, progressEveryMs))) {
    if (progress !== undefined) yield { progress }
    progress = undefined
  }
  return work
}

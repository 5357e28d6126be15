/** Long work whose progress is shown now and then until it ends. */
import { settledWithin } from '../turns/settled-within.ts'
import { type AnswerHolding, resultBytes } from './answer-holding.ts'

const progressEveryMs = 200

/** Who waits for long work. */
export interface LongClient {
  /** Holds the result until it was sent. */
  readonly holding: AnswerHolding
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal
}

interface LongWork extends LongClient {
  /** The work changes nothing, so its result can be refused. */
  readonly isDry: boolean
}

/**
 * `begin` starts the work, which reports its progress. Returns its result, for which memory is reserved until the answer was sent.
 * @throws S3Error `SlowDown` if the work is dry and the caller holds too much
 */
export async function* withProgress<P, R extends object>(
  { holding, isDry, signal }: LongWork,
  begin: (onProgress: (progress: P) => void) => Promise<R>,
): AsyncGenerator<{ readonly progress: P }, R> {
  let progress: P | undefined
  const work = begin((now) => (progress = now))
  // The client may be gone before the work ends.
  work.catch(() => undefined)
  while (!(await settledWithin(work, progressEveryMs))) {
    if (progress !== undefined) yield { progress }
    progress = undefined
  }
  const result = await work
  // What it holds was given back when the client left.
  if (signal.aborted) return result
  const bytes = resultBytes(result)
  if (isDry) holding.holdFound(bytes)
  else holding.count(bytes)
  return result
}

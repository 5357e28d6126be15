/** Loading for components: one value, its error, and a way to load it again. */

import { useCallback, useEffect, useState } from 'preact/hooks'
import { isAborted, Unreachable } from '../transport/failures.ts'
import { isReachable } from '../transport/reachability.ts'

export type Loaded<T> =
  | { readonly state: 'loading'; readonly reload: () => void }
  | { readonly state: 'failed'; readonly error: unknown; readonly reload: () => void }
  | { readonly state: 'ready'; readonly value: T; readonly reload: () => void }

type Outcome<T> =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly error: unknown }
  | { readonly state: 'ready'; readonly value: T }

/** Loads when the component appears and when `inputs` change. A value that is loaded again stays until the new one is there. */
export function useLoad<T>(load: (signal: AbortSignal) => Promise<T>, inputs: readonly unknown[]): Loaded<T> {
  const [outcome, setOutcome] = useState<Outcome<T>>({ state: 'loading' })
  const [attempt, setAttempt] = useState(0)
  useEffect(() => setOutcome({ state: 'loading' }), inputs)
  useEffect(() => {
    const controller = new AbortController()
    load(controller.signal).then(
      (value) => controller.signal.aborted || setOutcome({ state: 'ready', value }),
      (error: unknown) => {
        if (controller.signal.aborted || isAborted(error)) return
        setOutcome({ state: 'failed', error })
      },
    )
    return () => controller.abort()
  }, [...inputs, attempt])
  const isAway = outcome.state === 'failed' && outcome.error instanceof Unreachable
  useEffect(() => {
    if (isAway && isReachable.value) setAttempt((count) => count + 1)
  }, [isReachable.value])
  return { ...outcome, reload: useCallback(() => setAttempt((count) => count + 1), []) }
}

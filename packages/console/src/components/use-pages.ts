/** A listing that is loaded page by page, as far as a person looks. */

import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { isAborted, Unreachable } from '../transport/failures.ts'
import { isReachable } from '../transport/reachability.ts'

export interface Page<T, M> {
  readonly entries: readonly T[]
  /** Where the next page begins; absent on the last one. */
  readonly next?: M
}

export interface Pages<T> {
  readonly rows: readonly T[]
  readonly isComplete: boolean
  readonly isLoading: boolean
  readonly error: unknown
  readonly loadMore: () => void
  readonly reload: () => void
  /** Continues after an error. */
  readonly retry: () => void
}

interface Loaded<T, M> {
  readonly rows: readonly T[]
  readonly next: M | undefined
  readonly isComplete: boolean
  readonly error: unknown
}

const nothingYet = { rows: [], next: undefined, isComplete: false, error: undefined }

/** Begins anew when `inputs` change. A reload keeps the old rows until the new ones are there. */
export function usePages<T, M>(
  load: (from: M | undefined, signal: AbortSignal) => Promise<Page<T, M>>,
  inputs: readonly unknown[],
): Pages<T> {
  const [loaded, setLoaded] = useState<Loaded<T, M>>(nothingYet)
  const [isLoading, setLoading] = useState(true)
  const [generation, setGeneration] = useState(0)
  const running = useRef<AbortController | undefined>(undefined)

  const loadPage = (from: M | undefined, before: readonly T[]): void => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    setLoading(true)
    const settle = (next: Loaded<T, M>): void => {
      if (controller.signal.aborted) return
      running.current = undefined
      setLoading(false)
      setLoaded(next)
    }
    load(from, controller.signal).then(
      ({ entries, next }) => {
        const rows = before.length === 0 ? entries : [...before, ...entries]
        settle({ rows, next, isComplete: next === undefined, error: undefined })
      },
      (error: unknown) => {
        if (!isAborted(error)) settle({ rows: before, next: from, isComplete: false, error })
      },
    )
  }

  useEffect(() => setLoaded(nothingYet), inputs)
  useEffect(() => {
    loadPage(undefined, [])
    return () => running.current?.abort()
  }, [...inputs, generation])

  const loadMore = (): void => {
    if (running.current !== undefined || loaded.isComplete || loaded.error !== undefined) return
    loadPage(loaded.next, loaded.rows)
  }
  const isAway = loaded.error instanceof Unreachable
  useEffect(() => {
    if (isAway && isReachable.value) loadPage(loaded.next, loaded.rows)
  }, [isReachable.value])
  return {
    rows: loaded.rows,
    isComplete: loaded.isComplete,
    isLoading,
    error: loaded.error,
    loadMore,
    retry: () => loadPage(loaded.next, loaded.rows),
    reload: useCallback(() => setGeneration((count) => count + 1), []),
  }
}

import { useEffect, useRef } from 'preact/hooks'
import { showToast } from '../components/toasts.tsx'
import { useConnection } from '../session/use-connection.ts'
import { isAborted } from '../transport/failures.ts'
import { type Direction, type Shown, stepBack, stepOn } from './event-steps.ts'

/** Moves from event to event of what is shown. Steps that are requested during another one follow it. */
export function useSteps(
  { bucket, prefix }: Shown,
  position: number | undefined,
  onMove: (at: string | undefined) => void,
): (direction: Direction) => void {
  const connection = useConnection()
  const latest = useRef({ position, onMove })
  latest.current = { position, onMove }
  const running = useRef(Promise.resolve())
  const ended = useRef(new AbortController())
  useEffect(() => {
    ended.current = new AbortController()
    return () => ended.current.abort()
  }, [connection, bucket, prefix])
  const take = async (direction: Direction): Promise<void> => {
    const { signal } = ended.current
    const from = latest.current.position
    if (signal.aborted || from === undefined) return
    try {
      const step = direction === -1 ? stepBack : stepOn
      const to = await step(connection, { bucket, prefix }, from, signal)
      if (to !== undefined) latest.current.position = to
      latest.current.onMove(to === undefined ? undefined : String(to))
    } catch (error) {
      if (isAborted(error)) return
      showToast({ kind: 'failed', text: error instanceof Error ? error.message : String(error) })
    }
  }
  return (direction) => {
    running.current = running.current.then(() => take(direction))
  }
}

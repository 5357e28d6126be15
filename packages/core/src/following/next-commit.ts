/** Waits for new events of the log. */
import { onAbort } from '../base/on-abort.ts'
import type { RecordedEvent } from '../events/index.ts'
import type { Seq, Timer } from '../ports/index.ts'

/** The log of an engine, as its followers see it. */
export interface FollowedLog {
  readonly closed: boolean
  /** `committed`: the end of the log. */
  readonly writer: { readonly committed: Seq }
  /** Calls back for every commit, and when the store closes. Returns a function that ends it. */
  onCommitted(listener: (events: readonly RecordedEvent[]) => void): () => void
}

/** As `nextCommit`, for a program that waits for it: meanwhile the process goes on running. */
export async function awaitedCommit(
  log: FollowedLog & { readonly ports: { readonly timer?: Timer | undefined } },
  next: Seq,
  signal: AbortSignal | undefined,
): Promise<void> {
  const release = log.ports.timer?.hold?.()
  try {
    await nextCommit(log, next, signal)
  } finally {
    release?.()
  }
}

/** Resolves when position `next` is committed or the store closes. @throws the reason of the signal */
export function nextCommit(log: FollowedLog, next: Seq, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted()
  const isOver = (): boolean => log.closed || log.writer.committed >= next
  if (isOver()) return Promise.resolve()
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void) => () => {
      stop()
      unlisten?.()
      settle()
    }
    const stop = log.onCommitted(() => {
      if (isOver()) finish(resolve)()
    })
    const aborted = finish(() => reject(signal?.reason))
    const unlisten = signal && onAbort(signal, aborted)
  })
}

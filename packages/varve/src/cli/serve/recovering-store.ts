/**
 * A store that comes back by itself. A write whose outcome is unknown stops a store for good (`failed`); opening it again
 * tells the truth and clears the way. Until that can work reads go on; once the failed store is closed everything is answered
 * with errors that clients retry.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { isStorageError, type RequestStore, type Store } from '@varve/core'
import { standIn } from '../../store/stand-in.ts'

export interface RecoveringStoreOptions<S extends Store> {
  /** Opens the store anew. */
  open(): Promise<S>
  /** Rejects while that cannot work: until it resolves the failed store stays, and answers reads. */
  untilRoom?(): Promise<void>
  onFailed?(): void
  /** One attempt failed; the next follows after so many milliseconds. */
  onRetry?(error: unknown, delayMs: number): void
  onReopened?(store: S): void
  /** How often to look, in milliseconds. @default 250 */
  readonly lookEveryMs?: number
  /** The first pause between attempts, in milliseconds; it doubles up to `retryMsMax`. @default 250 */
  readonly retryMs?: number
  /** @default 30000 */
  readonly retryMsMax?: number
}

export interface RecoveringStore<S extends Store> {
  /** Stands for whichever store is open. */
  readonly store: RequestStore
  readonly current: S
  /** Rejects when the store cannot come back: it is damaged, or gone. Never resolves. */
  readonly lost: Promise<never>
  /** Calls back when the store failed, and when another is open. Returns what ends it. */
  follow(listener: () => void): () => void
  /** Ends the watch and closes the store. Idempotent. */
  close(): Promise<void>
}

export async function recoveringStore<S extends Store>(
  options: RecoveringStoreOptions<S>,
): Promise<RecoveringStore<S>> {
  const { lookEveryMs = 250, retryMs = 250, retryMsMax = 30_000 } = options
  const end = new AbortController()
  const followers = new Set<() => void>()
  const notify = (): void => followers.forEach((follower) => follower())
  let current = await options.open()
  let recovery: Promise<void> | undefined
  let loose: (error: unknown) => void
  const lost = new Promise<never>((_resolve, reject) => {
    loose = reject
  })
  // Awaiting it is optional.
  lost.catch(() => undefined)

  const reopen = async (): Promise<void> => {
    options.onFailed?.()
    notify()
    for (let pauseMs = retryMs; ; pauseMs = Math.min(pauseMs * 2, retryMsMax)) {
      try {
        end.signal.throwIfAborted()
        if (current.state !== 'closed') await options.untilRoom?.()
        await current.close().catch(() => undefined)
        current = await options.open()
        options.onReopened?.(current)
        notify()
        return
      } catch (error) {
        if (end.signal.aborted) return
        if (isFinal(error)) return loose(error)
        options.onRetry?.(error, pauseMs)
        await delay(pauseMs, undefined, { signal: end.signal }).catch(() => undefined)
      }
    }
  }

  const watch = setInterval(() => {
    if (current.state !== 'failed' || recovery !== undefined) return
    recovery = reopen().finally(() => {
      recovery = undefined
    })
  }, lookEveryMs)
  watch.unref()

  return {
    store: standIn(() => current),
    get current() {
      return current
    },
    lost,
    follow(listener) {
      followers.add(listener)
      return () => followers.delete(listener)
    },
    async close() {
      clearInterval(watch)
      end.abort()
      await recovery
      await current.close()
    },
  }
}

/** Trying again changes nothing about these. */
const isFinal = (error: unknown): boolean =>
  isStorageError(error, 'LogCorrupt', 'AcknowledgedWritesLost', 'UnsupportedFormat', 'StoreNotFound')

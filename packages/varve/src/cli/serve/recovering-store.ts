/**
 * A store that recovers by itself. A write whose outcome is unknown stops a store for good (`failed`). Opening it again
 * finds out the outcome and makes it usable. Until reopening can succeed, reads go on. Once the failed store is closed,
 * every request gets an error that clients retry.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { isStorageError, type RequestStore, type StorageError, type Store } from '@varve/core'
import { standIn } from '../../store/stand-in.ts'

/** How a store is opened. */
export interface Opening<S extends Store> {
  open(): Promise<S>
  /** Resolves when reopening can succeed. While it rejects, the failed store stays open and answers reads. */
  untilRoom?(): Promise<void>
}

export interface RecoveringStoreOptions<S extends Store> extends Opening<S> {
  /** `failure`: why the store takes no more writes. */
  onFailed?(failure: StorageError | undefined): void
  /** Called when an attempt failed; the next one follows after this many milliseconds. */
  onRetry?(error: unknown, delayMs: number): void
  onReopened?(store: S): void
  /** How often to check the state, in milliseconds. @default 250 */
  readonly lookEveryMs?: number
  /** The first pause between attempts, in milliseconds; it doubles up to `retryMsMax`. @default 250 */
  readonly retryMs?: number
  /** @default 30000 */
  readonly retryMsMax?: number
}

export interface RecoveringStore<S extends Store> {
  /** Forwards to the store that is open now. */
  readonly store: RequestStore
  readonly current: S
  /** Rejects when the store cannot recover: it is damaged or missing. Never resolves. */
  readonly lost: Promise<never>
  /** Calls the listener when the store failed, and when another one is open. Returns a function that ends this. */
  follow(listener: () => void): () => void
  /** Runs `work` while the store is not opened again, also if it fails meanwhile. */
  withoutRecovery<R>(work: () => Promise<R>): Promise<R>
  /**
   * From now on this is how the store is opened, and `store` is the one that is open. Without it, the present one is closed
   * and another one opened once it has failed. The caller closes the one before.
   */
  replace(opening: Opening<S>, store?: S): void
  /** Stops watching and closes the store. Idempotent. */
  close(): Promise<void>
}

export async function recoveringStore<S extends Store>(
  options: RecoveringStoreOptions<S>,
): Promise<RecoveringStore<S>> {
  const { lookEveryMs = 250, retryMs = 250, retryMsMax = 30_000 } = options
  const end = new AbortController()
  const { notify, follow } = followed()
  let opening: Opening<S> = options
  let current = await opening.open()
  let recovery: Promise<void> | undefined
  let isHeld = false
  const { lost, loose } = losing()

  const reopen = async (): Promise<void> => {
    options.onFailed?.(current.owner.failure)
    notify()
    for (let pauseMs = retryMs; ; pauseMs = Math.min(pauseMs * 2, retryMsMax)) {
      try {
        end.signal.throwIfAborted()
        if (current.state !== 'closed') await opening.untilRoom?.()
        await current.close().catch(() => undefined)
        current = await opening.open()
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
    if (current.state !== 'failed' || recovery !== undefined || isHeld) return
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
    follow,
    async withoutRecovery(work) {
      while (recovery !== undefined) await recovery
      isHeld = true
      try {
        return await work()
      } finally {
        isHeld = false
      }
    },
    replace(next, store = current) {
      opening = next
      current = store
      notify()
    },
    async close() {
      clearInterval(watch)
      end.abort()
      await recovery
      await current.close()
    },
  }
}

function followed() {
  const followers = new Set<() => void>()
  return {
    notify: (): void => followers.forEach((follower) => follower()),
    follow(listener: () => void): () => void {
      followers.add(listener)
      return () => followers.delete(listener)
    },
  }
}

function losing() {
  let loose: (error: unknown) => void = () => undefined
  const lost = new Promise<never>((_resolve, reject) => {
    loose = reject
  })
  // Awaiting this promise is optional, so handle its rejection.
  lost.catch(() => undefined)
  return { lost, loose }
}

/** Errors that another attempt cannot change. */
const isFinal = (error: unknown): boolean =>
  isStorageError(error, 'LogCorrupt', 'AcknowledgedWritesLost', 'UnsupportedFormat', 'StoreNotFound')

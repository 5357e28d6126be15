/**
 * A store that recovers by itself. A write whose outcome is unknown stops a store for good (`failed`). Opening it again
 * finds out the outcome and makes it usable. Until reopening can succeed, reads go on. Once the failed store is closed,
 * every request gets an error that clients retry. A store that can be opened beside it is open by then.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { isStorageError, type RequestStore, type StorageError, type Store } from '@varve/core'
import { standIn } from '../../store/stand-in.ts'

/** How a store is opened. */
export interface Opening<S extends Store> {
  open(): Promise<S>
  /**
   * A store can be open twice, as one at addresses can: the failed one answers reads until the new one is open. If both need the same lock
   * (`StoreLocked`), the failed one is closed first. @default false
   */
  readonly beside?: boolean
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
  /** Runs `work` while the store is not opened again, also if it fails meanwhile. If it has failed before, its recovery goes on. */
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

  const closing = new Set<Promise<void>>()
  const reopen = async (): Promise<void> => {
    options.onFailed?.(current.owner.failure)
    notify()
    for (let pauseMs = retryMs; ; pauseMs = Math.min(pauseMs * 2, retryMsMax)) {
      try {
        end.signal.throwIfAborted()
        if (current.state !== 'closed') await opening.untilRoom?.()
        current = await successorOf(current, opening, { closing, signal: end.signal })
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
      await Promise.all([...closing, current.close()])
    },
  }
}

/** The store that takes the place of a failed one, which closes before or after it. */
async function successorOf<S extends Store>(
  failed: S,
  { beside = false, open }: Pick<RecoveringStoreOptions<S>, 'beside' | 'open'>,
  { closing, signal }: { readonly closing: Set<Promise<void>>; readonly signal: AbortSignal },
): Promise<S> {
  if (beside && failed.state !== 'closed') {
    try {
      const opened = await open()
      const closed = whenRead(failed, signal).finally(() => closing.delete(closed))
      closing.add(closed)
      return opened
    } catch (error) {
      if (!isStorageError(error, 'StoreLocked')) throw error
    }
  }
  await failed.close().catch(() => undefined)
  return open()
}

/** How long the reads of a failed store may go on after another one is open, in milliseconds. */
const readsMs = 30_000
/** Milliseconds between two looks. */
const lookMs = 50

/** Closes a store when its reads have ended. */
async function whenRead(store: Pick<Store, 'owner' | 'close'>, signal: AbortSignal): Promise<void> {
  for (let waited = 0; waited < readsMs && isRead(store) && !signal.aborted; waited += lookMs) {
    await delay(lookMs, undefined, { signal }).catch(() => undefined)
  }
  await store.close().catch(() => undefined)
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

const isRead = ({ owner: { reads } }: Pick<Store, 'owner'>): boolean => Number.isFinite(reads?.oldest ?? Infinity)

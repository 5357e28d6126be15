/** Keeps the identities of a server as the log of its store says. */
import { setTimeout as delay } from 'node:timers/promises'
import { isIdentityEvent, schema, type Store } from '@varve/core'
import { combineIdentities, type Identity, rootAmong, type Sessions } from '@varve/http'
import { reserveIn, servedIdentities } from './managed-identities.ts'

const retryMs = 200
const { callable, checked, implementing } = schema

const anyStore = implementing<Store>('a store', ['subscribe'])

/**
 * Calls `replace` with the identities that count now, whenever they change: those of the log, and the configured ones that
 * the log does not know; and with what temporary credentials need. A change of identities in this process is answered when
 * `replace` has returned, and the promise that it may return is fulfilled. Returns a function that ends this.
 * @throws StorageError if the identities cannot be read
 */
export async function followIdentities(
  given: Store,
  configuredIdentities: readonly Identity[],
  onReplaced: (identities: readonly Identity[], sessions: Sessions | undefined) => void | Promise<void>,
): Promise<() => void> {
  const store = checked('store', anyStore, given)
  const configured = combineIdentities(configuredIdentities)
  const replace = checked('replace', callable<typeof onReplaced>(), onReplaced)
  reserveIn(store, configured)
  const end = new AbortController()
  const follower = store.owner.identityFollowers.add()
  const operator = store.owner.operators.add()
  operator.is(rootAmong(configured))
  /** Changes that were announced, and how many of them the last reading has seen. */
  let [announced, seen] = [0, -1]
  let isReading = false

  async function read(): Promise<void> {
    const reading = announced
    const { seq } = store
    const { identities, sessions } = await servedIdentities(store, configured)
    if (end.signal.aborted) return
    await replace(identities, sessions)
    seen = reading
    follower.applied(seq)
  }

  /** Reads until no change is missing. One reading at a time, so that an older one never comes last. */
  async function follow(onFailed: (error: unknown) => Promise<void>): Promise<void> {
    if (isReading) return
    isReading = true
    try {
      while (seen !== announced && !end.signal.aborted) await read().catch(onFailed)
    } finally {
      isReading = false
    }
  }

  /** A change that cannot be read now is read again soon: a revoked key must not stay valid. */
  const retry = (): Promise<void> =>
    delay(retryMs, undefined, { signal: end.signal, ref: false }).catch(() => undefined)

  const stop = store.subscribe((events) => {
    if (!events.some(({ type }) => isIdentityEvent(type))) return
    announced++
    void follow(retry)
  })
  const unfollow = (): void => {
    end.abort()
    stop()
    follower.end()
    operator.end()
  }
  try {
    await follow((error) => Promise.reject(error))
  } catch (error) {
    unfollow()
    throw error
  }
  return unfollow
}

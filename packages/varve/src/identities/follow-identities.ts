/** Keeps the identities of a server as the log of its store says. */
import { setTimeout as delay } from 'node:timers/promises'
import { isIdentityEvent, schema, type Store } from '@varve/core'
import { combineIdentities, type Identity, type Sessions } from '@varve/http'
import { reserveIn, servedIdentities } from './managed-identities.ts'

const retryMs = 200
const { callable, checked, implementing } = schema

const anyStore = implementing<Store>('a store', ['subscribe'])

/**
 * Calls `replace` with the identities that count now, whenever they change: those of the log, and the configured ones that
 * the log does not know; and with what temporary credentials need. Returns a function that ends this.
 * @throws StorageError if the identities cannot be read
 */
export async function followIdentities(
  given: Store,
  configuredIdentities: readonly Identity[],
  onReplaced: (identities: readonly Identity[], sessions: Sessions | undefined) => void,
): Promise<() => void> {
  const store = checked('store', anyStore, given)
  const configured = combineIdentities(configuredIdentities)
  const replace = checked('replace', callable<typeof onReplaced>(), onReplaced)
  reserveIn(store, configured)
  const end = new AbortController()
  let wanted = 0
  let isReading = false

  async function read(): Promise<void> {
    const reading = wanted
    const { identities, sessions } = await servedIdentities(store, configured)
    if (!end.signal.aborted) replace(identities, sessions)
    if (reading !== wanted) await read()
  }

  /** A change that cannot be read now is read again soon: a revoked key must not stay valid. */
  async function follow(): Promise<void> {
    if (isReading) return
    isReading = true
    while (!end.signal.aborted) {
      try {
        await read()
        break
      } catch {
        await delay(retryMs, undefined, { signal: end.signal, ref: false }).catch(() => undefined)
      }
    }
    isReading = false
  }

  const stop = store.subscribe((events) => {
    if (!events.some(({ type }) => isIdentityEvent(type))) return
    wanted++
    void follow()
  })
  try {
    await read()
  } catch (error) {
    stop()
    throw error
  }
  return () => {
    end.abort()
    stop()
  }
}

/** The control API of an open store on a socket in its directory. */
import { createControlServer } from '@varve/http'
import {
  type Jobs,
  openEngine,
  type openForMaintenance,
  type OpenOptions,
  type Store,
  type StoreHome,
  type StorePorts,
} from '@varve/core'
import { placeSocket, type PlacedSocket } from './place-socket.ts'
import { identityHeader, identityOf } from './socket-files.ts'

/**
 * As `open`; while the store is open, it listens on a socket in its directory. Resolves when clients can connect, or
 * when that was given up with a warning.
 */
export async function openListening(
  ports: StorePorts,
  options: OpenOptions,
  home: StoreHome,
  open: typeof openForMaintenance = openEngine,
): Promise<Store> {
  const { dir, background = [] } = home
  if (dir === undefined) return open(ports, options, home)
  let onReady = (): void => undefined
  const ready = new Promise<void>((resolve) => (onReady = resolve))
  const listen = (store: Store, { signal }: Jobs) => listenUntil(signal, { store, dir, onReady })
  const store = await open(ports, options, { ...home, background: [listen, ...background] })
  await ready
  return store
}

interface Listening {
  readonly store: Store
  readonly dir: string
  readonly onReady: () => void
}

/** A store works without its socket, so a failure is only a warning. */
async function listenUntil(signal: AbortSignal, { store, dir, onReady }: Listening): Promise<void> {
  try {
    const control = createControlServer(store, { [identityHeader]: await identityOf(dir) })
    const placed = await placeSocket(control.server, dir)
    onReady()
    await aborted(signal)
    await end(control.stop, placed)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    process.emitWarning(`${dir}: other processes cannot reach this store, because ${reason}.`, 'VarveControlWarning')
  } finally {
    onReady()
  }
}

/** Removes the socket first, so that no client finds it while the last answers leave. */
async function end(stop: () => Promise<void>, placed: PlacedSocket): Promise<void> {
  await placed.remove()
  await stop()
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

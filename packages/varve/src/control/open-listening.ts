/** The control API of an open store on a socket in its directory. */
import { createControlServer, type RequestLogger } from '@varve/http'
import {
  type Jobs,
  onAbort,
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
  { open = openEngine, auditLog }: ListeningOptions = {},
): Promise<Store> {
  const { dir, background = [] } = home
  if (dir === undefined) return open(ports, options, home)
  let onReady = (): void => undefined
  const ready = new Promise<void>((resolve) => (onReady = resolve))
  const listen = (store: Store, { signal }: Jobs) => listenUntil(signal, { store, dir, auditLog, onReady })
  const store = await open(ports, options, { ...home, background: [listen, ...background] })
  await ready
  return store
}

export interface ListeningOptions {
  /** @default openEngine */
  readonly open?: typeof openForMaintenance
  readonly auditLog?: RequestLogger | undefined
}

interface Listening {
  readonly store: Store
  readonly dir: string
  readonly auditLog: RequestLogger | undefined
  readonly onReady: () => void
}

/** A store works without its socket, so a failure is only a warning. */
async function listenUntil(signal: AbortSignal, { store, dir, auditLog, onReady }: Listening): Promise<void> {
  try {
    const control = createControlServer(store, { headers: { [identityHeader]: await identityOf(dir) }, auditLog })
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
  return new Promise((resolve) => onAbort(signal, resolve))
}

/** Starts a server with workers: this process accepts connections and owns the store; the workers answer requests. */
import { type LayoutName, layoutOf, openFilesShares } from '@varve/adapters'
import { StorageError } from '@varve/core'
import { listenFor, type RunningServer } from '@varve/http'
import type { Store } from '@varve/core'
import type { WorkerChanges } from '../../workers/control-messages.ts'
import { WorkerPool, type WorkerPoolOptions } from '../../workers/worker-pool.ts'
import type { RecoveringStore } from './recovering-store.ts'

/** @throws StorageError `InvalidArgument` for several workers and a layout whose blobs allow only one writer */
export function assertWorkable(workers: number, layout: string | undefined): void {
  if (workers < 2 || layout === undefined || layoutOf(layout as LayoutName).blobs === 'files') return
  const message = `Several workers can only share blobs that are files, not those of the layout ${layout}.`
  throw new StorageError('InvalidArgument', message, {
    details: { ArgumentName: 'workers', ArgumentValue: workers },
  })
}

/** A store that is served, by this process or by workers. */
export interface ServedStore extends Pick<RunningServer, 'url' | 'close'> {
  /** Resolves when every live worker uses them. Never rejects. */
  change(changes: WorkerChanges): Promise<void>
}

export interface WorkersOptions
  extends Pick<WorkerPoolOptions, 'settings' | 'onRequest' | 'onAccess' | 'onLines' | 'onLoss' | 'metrics'> {
  readonly host: string
  readonly port: number
  readonly fd: number | undefined
}

/** @throws what listening throws (`EADDRINUSE`), and errors of starting a worker */
export async function startWorkers(
  kept: RecoveringStore<Store>,
  { host, port, fd, ...options }: WorkersOptions,
): Promise<ServedStore> {
  // Connections that wait in this process have the same share of open files as those of one more worker.
  const waitingMax = Math.ceil(openFilesShares().connections / (options.settings.workers + 1))
  const workerPool = new WorkerPool({ ...options, owner: () => kept.current.owner, waitingMax })
  // Listen before any worker starts, so that a port in use ends the start.
  const scheme = options.settings.tls === undefined ? 'http' : 'https'
  const listener = await listenFor((connection) => workerPool.take(connection), {
    ...(fd === undefined ? { host, port } : { fd }),
    scheme,
  })
  const unfollow = kept.follow(() => workerPool.followStore())
  const close = async ({ graceMs = 0 } = {}): Promise<void> => {
    listener.close()
    await workerPool.close(graceMs)
    unfollow()
  }
  try {
    await workerPool.start()
  } catch (error) {
    await close()
    throw error
  }
  return { url: listener.url, close, change: (changes) => workerPool.change(changes) }
}

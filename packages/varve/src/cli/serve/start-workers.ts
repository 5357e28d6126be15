/** A server whose requests are answered by other processes: this one takes the connections, and owns the store. */
import { type LayoutName, layoutOf, openFilesShares } from '@varve/adapters'
import { StorageError } from '@varve/core'
import { listenFor, type RunningServer } from '@varve/http'
import type { Store } from '@varve/core'
import { WorkerPool, type WorkerPoolOptions } from '../../workers/worker-pool.ts'
import type { RecoveringStore } from './recovering-store.ts'

/** @throws StorageError `InvalidArgument` when blobs can have one writer only */
export function assertWorkable(workers: number, layout: string | undefined): void {
  if (workers < 2 || layout === undefined || layoutOf(layout as LayoutName).blobs === 'files') return
  const message = `Several workers can only share blobs that are files, not those of the layout ${layout}.`
  throw new StorageError('InvalidArgument', message, {
    details: { ArgumentName: 'workers', ArgumentValue: workers },
  })
}

export interface WorkersOptions extends Pick<WorkerPoolOptions, 'settings' | 'onRequest' | 'onLoss'> {
  readonly host: string
  readonly port: number
}

/** @throws what listening throws (`EADDRINUSE`), and what keeps a worker from starting */
export async function startWorkers(
  kept: RecoveringStore<Store>,
  { host, port, ...options }: WorkersOptions,
): Promise<Pick<RunningServer, 'url' | 'close'>> {
  // What is held here has a share of what this process may open, as one more worker.
  const waitingMax = Math.ceil(openFilesShares().connections / (options.settings.workers + 1))
  const workerPool = new WorkerPool({ ...options, owner: () => kept.current.owner, waitingMax })
  // Before any worker starts: a port in use ends the start.
  const listener = await listenFor((connection) => workerPool.take(connection), { host, port })
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
  return { url: listener.url, close }
}

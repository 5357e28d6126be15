/** A server on an abstract socket, as a lock: one listener has the name until it closes or its process ends. */
import type { Server } from 'node:net'
import type { DirectoryLock } from './file-lock.ts'

/** @throws Error with `EADDRINUSE` when another server listens there. */
export async function listening(server: Server, address: string): Promise<DirectoryLock> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    // Exclusive, because otherwise the workers of a cluster would share one listener.
    server.listen({ path: address, exclusive: true }, () => {
      server.off('error', reject)
      server.on('error', () => undefined)
      // An open store does not keep the process alive.
      server.unref()
      resolve()
    })
  })
  let released: Promise<void> | undefined
  const close = () => new Promise<void>((resolve) => void server.close(() => resolve()))
  return { release: () => (released ??= close()) }
}

import type { AddressInfo, Server } from 'node:net'
import { StorageError } from '@varve/core'

/** Where to listen: an address, or a socket that listens already. */
export interface ListeningPlace {
  readonly host: string
  readonly port: number
  /** The descriptor of a socket that this process was given. */
  readonly fd?: number | undefined
}

/** Resolves with the port when the server accepts connections. @throws what listening throws (`EADDRINUSE`), with a `hint` */
export async function listen(server: Server, host: string, port: number): Promise<number> {
  return (await listening(server, { host, port })).port
}

/**
 * Resolves with the address when the server accepts connections.
 * @throws what listening throws (`EADDRINUSE`), StorageError `InvalidArgument` for a descriptor that is no listening TCP socket
 */
export async function listenAt(
  server: Server,
  { host, port, fd }: ListeningPlace,
): Promise<{ readonly host: string; readonly port: number }> {
  if (fd === undefined) return { host, port: await listen(server, host, port) }
  const address = await listening(server, { fd }).catch((cause: unknown) => {
    throw noSocket(fd, cause)
  })
  // The address of a Unix socket is a path, or nothing.
  if (typeof address === 'object' && address?.port > 0) return { host: address.address, port: address.port }
  server.close()
  throw noSocket(fd)
}

async function listening(
  server: Server,
  at: { readonly host: string; readonly port: number } | { readonly fd: number },
) {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(hinted(error))).listen(at, () => resolve(void server.off('error', reject)))
  })
  return server.address() as AddressInfo
}

const hints: ReadonlyMap<unknown, string> = new Map([
  ['EADDRINUSE', 'Another program has the port. Use another `port`; 0 takes a free one.'],
  ['EACCES', 'This user may not listen on this port. Use a `port` above 1023.'],
  ['EADDRNOTAVAIL', 'This machine does not have the address. Use another `host`.'],
  ['ENOTFOUND', 'This machine does not have the address. Use another `host`.'],
])

/** The error of the system, with what helps. */
function hinted(error: NodeJS.ErrnoException): Error {
  const hint = hints.get(error.code)
  return hint === undefined ? error : Object.assign(error, { hint })
}

const noSocket = (fd: number, cause?: unknown): StorageError =>
  new StorageError('InvalidArgument', `The descriptor ${fd} is no TCP socket that listens.`, {
    details: { ArgumentName: 'options.fd', ArgumentValue: fd },
    cause,
  })

/** Accepts connections for servers in other processes. */

import { createServer } from 'node:net'
import type { Socket } from 'node:net'
import { schema } from '@varve/core'
import { checkAddress } from './checked-options.ts'
import type { ListenerOptions } from './server-options.ts'
import { listenAt } from './listen.ts'
import { urlOf } from './url-of.ts'

/** The listening socket of a server. */
export interface Listener {
  /** `http://127.0.0.1:9000` */
  readonly url: string
  readonly port: number
  /** Accepts no more connections. Accepted connections stay open. */
  close(): void
}

/**
 * Listens. Nothing is read from a connection before `take` receives it.
 * @throws what listening throws (`EADDRINUSE`), StorageError `InvalidArgument` for invalid arguments
 */
export async function listenFor(take: (connection: Socket) => void, options: ListenerOptions): Promise<Listener> {
  schema.checked('take', schema.callable(), take)
  const { host = '127.0.0.1', port: wanted = 9000, fd, scheme = 'http' } = checkAddress(options)
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, take)
  const at = await listenAt(server, { host, port: wanted, fd })
  return { url: urlOf(scheme, at.host, at.port), port: at.port, close: () => void server.close() }
}

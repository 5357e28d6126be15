/** Takes connections for doors in other processes. */

import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import type { ServeOptions } from './serve.ts'
import { urlOf } from './server/url-of.ts'

export interface Listener {
  /** `http://127.0.0.1:9000` */
  readonly url: string
  readonly port: number
  /** Takes no more. Those that were taken stay. */
  close(): void
}

/** Nothing is read of a connection before `take` has it. @throws what listening throws (`EADDRINUSE`) */
export async function listenFor(
  take: (connection: Socket) => void,
  { host = '127.0.0.1', port = 9000 }: Pick<ServeOptions, 'host' | 'port'>,
): Promise<Listener> {
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, take)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, () => resolve(void server.off('error', reject)))
  })
  const address = server.address() as AddressInfo
  return { url: urlOf('http', host, address.port), port: address.port, close: () => void server.close() }
}

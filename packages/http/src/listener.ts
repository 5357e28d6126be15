/** Takes connections for doors in other processes. */

import { createServer } from 'node:net'
import type { Socket } from 'node:net'
import type { ServeOptions } from './serve.ts'
import { listen } from './server/listen.ts'
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
  { host = '127.0.0.1', port: wanted = 9000 }: Pick<ServeOptions, 'host' | 'port'>,
): Promise<Listener> {
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, take)
  const port = await listen(server, host, wanted)
  return { url: urlOf('http', host, port), port, close: () => void server.close() }
}

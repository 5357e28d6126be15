/** The server for connections that someone else has taken: a server that does not listen. */

import type { Socket } from 'node:net'
import { checkConnectionServerOptions, graceOf } from './checked-options.ts'
import { limitedServer } from './limited-server.ts'
import type { LimitOptions } from './server-options.ts'

/** The limits of a server's connections. See `serve`. */
export type ConnectionServerOptions = Omit<LimitOptions, 'tls'>

/** A server that does not listen: its owner gives it connections. */
export interface ConnectionServer {
  /** A connection of which nothing was read. Where there is no room for one more it is closed at once. */
  take(connection: Socket): void
  /** As `RunningServer.close` does. Connections that still come are closed at once. Idempotent. */
  close(options?: { readonly graceMs?: number }): Promise<void>
}

/** @throws StorageError `InvalidArgument` for options that cannot be. */
export function createConnectionServer(options: ConnectionServerOptions): ConnectionServer {
  const { server, stop } = limitedServer(checkConnectionServerOptions(options))
  let closing: Promise<void> | undefined
  // Node watches over the times of connections from the moment a server listens.
  server.emit('listening')
  return {
    take(connection) {
      if (closing !== undefined) return void connection.destroy()
      // As Node does with the connections it takes for a server.
      connection.allowHalfOpen = true
      connection.setNoDelay(true)
      server.emit('connection', connection)
    },
    async close(how) {
      const graceMs = graceOf(how)
      await (closing ??= stop(graceMs))
    },
  }
}

/** A server that does not listen. It handles connections that another process or server accepted. */

import type { Socket } from 'node:net'
import type { Identity } from '../access/identity.ts'
import type { Sessions } from '../credentials/identity-directory.ts'
import { checkConnectionServerOptions, graceOf } from './checked-options.ts'
import { limitedServer } from './limited-server.ts'
import type { LimitOptions, TlsMaterial } from './server-options.ts'

/** A server that does not listen: its owner passes connections to it. */
export interface ConnectionServer {
  /** Takes a connection from which nothing was read. Closes it at once if there is no room for another connection. */
  take(connection: Socket): void
  /** Closes the server as `RunningServer.close` does. Connections that arrive later are closed at once. Idempotent. */
  close(options?: { readonly graceMs?: number }): Promise<void>
  /** As `RunningServer.replaceTls`. */
  replaceTls(tls: TlsMaterial): void
  /** As `RunningServer.replaceIdentities`. */
  replaceIdentities(identities: readonly Identity[], sessions?: Sessions): void
}

/** @throws StorageError `InvalidArgument` for invalid options */
export function createConnectionServer(options: LimitOptions): ConnectionServer {
  const { server, stop, replaceTls, replaceIdentities } = limitedServer(checkConnectionServerOptions(options))
  let closing: Promise<void> | undefined
  // Node checks the timeouts of connections only after a server listens.
  server.emit('listening')
  return {
    take(connection) {
      if (closing !== undefined) return void connection.destroy()
      // Node sets these options on the connections that it accepts itself.
      connection.allowHalfOpen = true
      connection.setNoDelay(true)
      server.emit('connection', connection)
    },
    async close(how) {
      const graceMs = graceOf(how)
      await (closing ??= stop(graceMs))
    },
    replaceTls,
    replaceIdentities,
  }
}

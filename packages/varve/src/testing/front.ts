/** The `node:http` server in front of the current store, with a port or without one. */
import { createServer, type Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type Handler, headersMax, listen } from '@varve/http'
import { connectionError, connectionPair } from './memory-connection.ts'

export class Front {
  readonly #server: Server
  readonly #connections = new Set<Duplex>()
  #hasStopped = false

  /** @param current The handler that a request meets: that of the store which is current when it arrives. */
  constructor(current: () => Handler) {
    this.#server = createServer({ requestTimeout: 0, keepAliveTimeout: 65_000, requireHostHeader: false })
      .on('connection', (connection: Duplex) => {
        this.#connections.add(connection)
        connection.once('close', () => this.#connections.delete(connection))
      })
      .on('request', (request, response) => current().request(request, response))
      .on('checkContinue', (request, response) => current().checkContinue(request, response))
      .on('checkExpectation', (request, response) => current().checkExpectation(request, response))
      .on('clientError', (error, socket) => current().clientError(error, socket))
    this.#server.maxHeadersCount = headersMax
  }

  /** @returns the port @throws what listening throws (`EADDRINUSE`) */
  listen(host: string, port: number): Promise<number> {
    return listen(this.#server, host, port)
  }

  /** A connection to the server inside this process. After the stop it fails with `ECONNREFUSED`. */
  connect(): Duplex {
    const [client, server] = connectionPair()
    // The client listens to errors once it has the connection.
    if (this.#hasStopped) setImmediate(() => client.destroy(refused()))
    else this.#server.emit('connection', server)
    return client
  }

  /** Ends all connections. */
  async stop(): Promise<void> {
    this.#hasStopped = true
    const closed = this.#server.listening && new Promise<void>((resolve) => this.#server.close(() => resolve()))
    for (const connection of this.#connections) connection.destroy()
    await closed
  }
}

const refused = (): Error => connectionError('ECONNREFUSED', 'connect ECONNREFUSED: the server was stopped')

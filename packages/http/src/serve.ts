/** The door as a server of its own: limits set, drained on close. */

import { createServer } from 'node:http'
import type { Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { ServerOptions as TlsOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createHandler } from './handler.ts'
import { headersMax } from './server/exchange.ts'
import type { HandlerOptions } from './handler.ts'
import { settledWithin } from './server/settled-within.ts'

export interface ServeOptions extends HandlerOptions {
  /** @default '127.0.0.1' */
  readonly host?: string
  /** 0 takes any that is free. @default 9000 */
  readonly port?: number
  /** Serve HTTPS. */
  readonly tls?: Pick<TlsOptions, 'key' | 'cert' | 'ca' | 'pfx' | 'passphrase' | 'minVersion'>
  /** @default 10_000 */
  readonly connectionsMax?: number
  /** The answer to the last of them says `connection: close`; who sends more all the same gets 503. @default 100_000 */
  readonly requestsPerConnectionMax?: number
  /** For a request's head to be complete, in milliseconds. @default 10_000 */
  readonly headersTimeoutMs?: number
  /** Without a byte in either direction, in milliseconds. @default 60_000 */
  readonly idleTimeoutMs?: number
  /** Between two requests, in milliseconds. @default 65_000 */
  readonly keepAliveTimeoutMs?: number
}

export interface RunningServer {
  /** `http://127.0.0.1:9000` */
  readonly url: string
  readonly port: number
  /**
   * Takes no more connections, lets what is under way finish for `graceMs` (default 10 s), then ends it. The store stays
   * open. Idempotent.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>
}

/** @throws what listening throws (`EADDRINUSE`), TypeError for options that cannot be. */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const { host = '127.0.0.1', port = 9000, tls } = options
  const handler = createHandler(options)
  const { request, checkContinue, checkExpectation, clientError, drain } = handler
  const server = createLimitedServer(options)
    .on('request', request)
    .on('checkContinue', checkContinue)
    .on('checkExpectation', checkExpectation)
    .on('clientError', clientError)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, () => resolve(void server.off('error', reject)))
  })
  const address = server.address() as AddressInfo
  let closing: Promise<void> | undefined
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    port: address.port,
    close: ({ graceMs = 10_000 } = {}) => (closing ??= stop(server, drain, graceMs)),
  }
}

function createLimitedServer(options: ServeOptions): Server {
  const { headersTimeoutMs = 10_000, idleTimeoutMs = 60_000, keepAliveTimeoutMs = 65_000, tls } = options
  const timing = {
    headersTimeout: headersTimeoutMs,
    // Bodies may take hours; `minimumSpeed` sees that they move.
    requestTimeout: 0,
    connectionsCheckingInterval: 1000,
    keepAliveTimeout: keepAliveTimeoutMs,
    // A missing Host is refused in our own words.
    requireHostHeader: false,
  }
  const server = tls === undefined ? createServer(timing) : createTlsServer({ ...tls, ...timing })
  server.maxHeadersCount = headersMax
  server.maxConnections = options.connectionsMax ?? 10_000
  server.maxRequestsPerSocket = options.requestsPerConnectionMax ?? 100_000
  return server.setTimeout(idleTimeoutMs)
}

async function stop(server: Server, drain: () => Promise<void>, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  await settledWithin(drain(), graceMs)
  server.closeAllConnections()
  await closed
}

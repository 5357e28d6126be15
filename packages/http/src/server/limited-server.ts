/** A `node:http` server with its limits set, the door behind it, and an end that lets what is under way finish. */

import { createServer } from 'node:http'
import type { Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { ServerOptions as TlsOptions } from 'node:https'
import type { Socket } from 'node:net'
import { createHandler } from '../handler.ts'
import type { HandlerOptions } from '../handler.ts'
import { ConnectionShares } from './connection-shares.ts'
import { headersMax } from './exchange.ts'
import { settledWithin } from './settled-within.ts'
import { trustedAmong } from './trusted-proxies.ts'

export interface LimitOptions extends HandlerOptions {
  /** Serve HTTPS. */
  readonly tls?: Pick<TlsOptions, 'key' | 'cert' | 'ca' | 'pfx' | 'passphrase' | 'minVersion'>
  /** With so many, a new one takes the place of an idle one of the address that has the most. @default 10_000 */
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

export interface LimitedServer {
  readonly server: Server
  /** Lets what is under way finish for so long, then ends it. */
  stop(graceMs: number): Promise<void>
}

const connectionsMost = 10_000

/** @throws TypeError for options that cannot be. */
export function limitedServer(options: LimitOptions): LimitedServer {
  const shares = new ConnectionShares({
    max: options.connectionsMax ?? connectionsMost,
    isExempt: trustedAmong(options.trustedProxies),
  })
  const { request, checkContinue, checkExpectation, clientError, drain } = createHandler(options, shares)
  const server = createLimitedServer(options)
    .prependListener('connection', (connection: Socket) => shares.admit(connection))
    .on('secureConnection', (connection: Socket) => shares.secured(connection))
    .on('request', request)
    .on('checkContinue', checkContinue)
    .on('checkExpectation', checkExpectation)
    .on('clientError', clientError)
  return { server, stop: (graceMs) => stop(server, drain, graceMs) }
}

function createLimitedServer(options: LimitOptions): Server {
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
  // Beyond them who comes or goes is decided by shares; a few that come at once may be more for a moment.
  server.maxConnections = (options.connectionsMax ?? connectionsMost) + 16
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

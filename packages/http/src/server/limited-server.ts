/** A `node:http` server with limits and its request handler. It lets requests finish before it stops. */

import { StorageError } from '@varve/core'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import { createServer as createTlsServer, Server as TlsServer } from 'node:https'
import type { ServerOptions as TlsOptions } from 'node:https'
import type { Socket } from 'node:net'
import { type Handler, handlerFor } from './handler.ts'
import { checkTls } from './checked-options.ts'
import type { LimitOptions, TlsMaterial } from './server-options.ts'
import { ConnectionShares } from './connection-shares.ts'
import { headersMax } from './exchange.ts'
import { settledWithin } from '../turns/settled-within.ts'
import { trustedAmong } from './trusted-proxies.ts'

export interface LimitedServer {
  readonly server: Server
  /** Lets requests in progress finish for this many milliseconds, then ends them. */
  stop(graceMs: number): Promise<void>
  /** See `RunningServer`. */
  replaceTls(tls: TlsMaterial): void
  /** See `RunningServer`. */
  readonly replaceIdentities: Handler['replaceIdentities']
}

const connectionsMost = 10_000

/**
 * @param options Checked options.
 * @throws StorageError `InvalidArgument` for keys and certificates that Node refuses
 */
export function limitedServer(options: LimitOptions): LimitedServer {
  const shares = new ConnectionShares({
    max: options.connectionsMax ?? connectionsMost,
    isExempt: trustedAmong(options.trustedProxies),
  })
  const handler = handlerFor(options, shares)
  const { request, checkContinue, checkExpectation, clientError, drain, observing, replaceIdentities } = handler
  const countConnections = (): void => observing?.connections?.({ open: shares.count })
  const server = createLimitedServer(options)
    .prependListener('connection', (connection: Socket) => shares.admit(connection))
    .on('connection', (connection: Socket) => {
      countConnections()
      connection.once('close', countConnections)
    })
    .on('secureConnection', (connection: Socket) => shares.secured(connection))
    .on('request', request)
    .on('checkContinue', checkContinue)
    .on('checkExpectation', checkExpectation)
    .on('clientError', clientError)
  return {
    server,
    stop: (graceMs) => stop(server, drain, graceMs),
    replaceTls: (tls) => replaceTls(server, tls),
    replaceIdentities,
  }
}

function createLimitedServer(options: LimitOptions): Server {
  const { headersTimeoutMs = 10_000, idleTimeoutMs = 60_000, keepAliveTimeoutMs = 65_000, tls } = options
  const timing = {
    headersTimeout: headersTimeoutMs,
    // Bodies may take hours; `minimumSpeed` requires that they progress.
    requestTimeout: 0,
    connectionsCheckingInterval: 1000,
    keepAliveTimeout: keepAliveTimeoutMs,
    // The server itself refuses a missing Host header, with an S3 error.
    requireHostHeader: false,
  }
  const server = tls === undefined ? createServer(timing) : tlsServer({ ...tls, ...timing })
  server.maxHeadersCount = headersMax
  // At the limit, shares decide which connections stay. A few connections that arrive at once may exceed it for a
  // moment.
  server.maxConnections = (options.connectionsMax ?? connectionsMost) + 16
  server.maxRequestsPerSocket = options.requestsPerConnectionMax ?? 100_000
  return server.setTimeout(idleTimeoutMs)
}

const tlsServer = (options: TlsOptions): Server => fitting('options.tls', () => createTlsServer(options))

function replaceTls(server: Server, given: TlsMaterial): void {
  if (!(server instanceof TlsServer)) {
    throw new StorageError('InvalidArgument', 'tls can be replaced only where the server began with it.', {
      details: { ArgumentName: 'tls' },
    })
  }
  const material = checkTls(given)
  fitting('tls', () => server.setSecureContext(material))
}

function fitting<T>(name: string, use: () => T): T {
  try {
    return use()
  } catch (cause) {
    throw new StorageError('InvalidArgument', `${name} cannot be used: its keys and certificates do not fit.`, {
      details: { ArgumentName: name },
      cause,
    })
  }
}

async function stop(server: Server, drain: () => Promise<void>, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  await settledWithin(drain(), graceMs)
  server.closeAllConnections()
  await closed
}

/** The control API of an open store as a `node:http` server, for a transport that lets in only the store's owner. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { StorageError, type Store } from '@varve/core'
import type { RequestLogger } from '../observing/request-logger.ts'
import { settledWithin } from '../turns/settled-within.ts'
import { controlExchange } from './control-exchange.ts'
import { ControlConnections } from './control-connections.ts'
import { OneAtATime } from './one-at-a-time.ts'
import { headText } from './response-head.ts'

/** Each call, body and followed log of a program holds one. */
const connectionsMax = 256
const headersMax = 64
const headersTimeoutMs = 10_000
/** How long the last answers may take to leave. */
const graceMs = 1000

/** A server that does not listen yet. */
export interface ControlServer {
  readonly server: Server
  /** Ends the requests in progress with `StoreClosed`, and closes all connections. */
  stop(): Promise<void>
}

interface ControlServerOptions {
  /** Added to every answer. @default none */
  readonly headers?: Readonly<Record<string, string>>
  /** Writes a line for each action. @default no lines */
  readonly auditLog?: RequestLogger | undefined
}

/** Neither the server nor its connections keep the process alive. */
export function createControlServer(
  store: Store,
  { headers = {}, auditLog }: ControlServerOptions = {},
): ControlServer {
  const closing = new AbortController()
  const connections = new ControlConnections(connectionsMax)
  const line = new OneAtATime(connections)
  const take = (expectsContinue: boolean) => (request: IncomingMessage, response: ServerResponse) => {
    line.take(response, (isLast) => {
      if (response.closed) return
      const how = { headers, expectsContinue, closing: closing.signal, isLast, auditLog }
      void controlExchange(store, request, response, how).catch(() => response.destroy())
    })
  }
  const server = createServer(
    {
      headersTimeout: headersTimeoutMs,
      requestTimeout: 0,
      // A connection that the server closes while a program begins its next request would fail that request.
      keepAliveTimeout: 0,
      connectionsCheckingInterval: 1000,
      requireHostHeader: false,
    },
    take(false),
  )
    .on('checkContinue', take(true))
    .on('clientError', refuse)
    .prependListener('connection', (connection) => {
      connection.unref()
      connections.admit(connection)
    })
  server.maxHeadersCount = headersMax
  return {
    server,
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeIdleConnections()
      closing.abort(new StorageError('StoreClosed', 'The store was closed by its owner.'))
      await settledWithin(line.drain(), graceMs)
      server.closeAllConnections()
      await closed
    },
  }
}

function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const headers = { connection: 'close', 'content-length': '0' }
  const isLong = error.code === 'HPE_HEADER_OVERFLOW'
  const head = isLong
    ? headText(431, 'Request Header Fields Too Large', headers)
    : headText(400, 'Bad Request', headers)
  socket.end(head, () => socket.destroy())
}

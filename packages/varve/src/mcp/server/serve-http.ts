/** Sessions over streamable HTTP. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js'
import { isStorageError } from '@varve/core'
import { listen, parseJson } from '@varve/http'
import { type Guard, refusalOf } from './http-guard.ts'
import { clientOf } from './serve-stdio.ts'
import { type ServerFacts, sessionServer } from './session-server.ts'
import { beginSession, type SessionSettings } from '../session/session.ts'
import type { StoreAccess } from '../session/store-access.ts'

export interface HttpOptions extends ServerFacts {
  readonly access: StoreAccess
  readonly settings: SessionSettings
  readonly messageBytesMax: number
  readonly host: string
  readonly port: number
  readonly token: string
  /** Further values of the header `Host`, such as that of a proxy. */
  readonly hosts: readonly string[]
  readonly origins: readonly string[]
  readonly sessionsMax: number
  readonly idleMs: number
  /** Milliseconds of a clock that is never put back. @default that of the process */
  readonly now?: () => number
  readonly onSession: (actor: string, bucket: string) => void
}

export interface ServedHttp {
  readonly url: string
  close(): Promise<void>
}

interface OpenSession {
  readonly transport: StreamableHTTPServerTransport
  /** Calls in progress: a session with one is in use, however long it takes. */
  calls: number
  lastUsed: number
}

interface Call {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly message: unknown
}

const path = '/mcp'
const connectionsMax = 256

/** @throws the error of the port */
export async function serveHttp(options: HttpOptions): Promise<ServedHttp> {
  const server = createServer()
  server.maxConnections = connectionsMax
  const port = await listen(server, options.host, options.port)
  const sessions = new HttpSessions(options)
  const guard = guardOf(options, port)
  server.on('request', (request, response) => {
    sessions.answer(guard, request, response).catch((error: unknown) => {
      options.onError(error)
      refuse(response, { status: 500, message: 'The request failed.' })
    })
  })
  const sweep = setInterval(() => sessions.endIdle(), Math.min(options.idleMs, 60_000))
  return {
    url: `http://${urlHost(options.host)}:${port}${path}`,
    async close() {
      clearInterval(sweep)
      await sessions.close()
      await closed(server)
    },
  }
}

const urlHost = (host: string): string => (host.includes(':') ? `[${host}]` : host)

function guardOf({ token, host, hosts, origins }: HttpOptions, port: number): Guard {
  const names = ['127.0.0.1', 'localhost', '[::1]', urlHost(host)].map((name) => `${name}:${port}`)
  return { token, hosts: new Set([...names, ...hosts].map((name) => name.toLowerCase())), origins: new Set(origins) }
}

async function closed(server: HttpServer): Promise<void> {
  const ended = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await ended
}

class HttpSessions {
  readonly #options: HttpOptions
  readonly #now: () => number
  readonly #open = new Map<string, OpenSession>()
  /** Sessions that are being made count too. */
  #beginning = 0

  constructor(options: HttpOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
  }

  async answer(guard: Guard, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = refusalOf(guard, request)
    if (refusal !== undefined) return refuse(response, refusal)
    if (request.url?.split('?', 1)[0] !== path) return refuse(response, { status: 404, message: `Use ${path}.` })
    this.endIdle()
    const id = request.headers['mcp-session-id']
    const session = typeof id === 'string' ? this.#open.get(id) : undefined
    if (id !== undefined && session === undefined) return refuse(response, { status: 404, message: 'No such session.' })
    if (request.method === 'POST') return this.#answerPost(request, response, session)
    if (session === undefined) return refuse(response, { status: 400, message: 'Begin a session with POST.' })
    await session.transport.handleRequest(request, response)
  }

  async #answerPost(
    request: IncomingMessage,
    response: ServerResponse,
    session: OpenSession | undefined,
  ): Promise<void> {
    const body = await jsonIn(request, this.#options.messageBytesMax)
    if ('status' in body) return refuse(response, body)
    if (session !== undefined) return this.#call(session, { request, response, message: body.value })
    if (isInitializeRequest(body.value)) return this.#begin(request, response, body.value)
    refuse(response, { status: 400, message: 'The first request of a session is initialize.' })
  }

  async #call(session: OpenSession, { request, response, message }: Call): Promise<void> {
    session.calls++
    response.once('close', () => {
      session.calls--
      session.lastUsed = this.#now()
    })
    await session.transport.handleRequest(request, response, message)
  }

  async #begin(request: IncomingMessage, response: ServerResponse, message: unknown): Promise<void> {
    const { access, settings, sessionsMax, onSession } = this.#options
    if (this.#open.size + this.#beginning >= sessionsMax) {
      return refuse(response, { status: 503, message: `There are ${sessionsMax} sessions already.` })
    }
    // The transport would refuse it after the session was begun.
    if (!takesBoth(request)) return refuse(response, { status: 406, message: 'Accept JSON and text/event-stream.' })
    this.#beginning++
    try {
      const session = await beginSession(access, settings, clientOf(message))
      onSession(session.actor.id, session.workspace.bucket)
      const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => void this.#open.set(id, { transport, calls: 0, lastUsed: this.#now() }),
      })
      const server = sessionServer(session, this.#options)
      server.onclose = () => void this.#open.delete(transport.sessionId ?? '')
      await server.connect(transport)
      await transport.handleRequest(request, response, message)
    } catch (error) {
      if (!isStorageError(error)) throw error
      refuse(response, { status: 500, message: `${error.message} (${error.code})` })
    } finally {
      this.#beginning--
    }
  }

  /** Ends sessions that no request has used for long. Their changes stay. */
  endIdle(): void {
    const since = this.#now() - this.#options.idleMs
    for (const [id, { transport, calls, lastUsed }] of this.#open) {
      if (calls > 0 || lastUsed >= since) continue
      this.#open.delete(id)
      void transport.close().catch(this.#options.onError)
    }
  }

  async close(): Promise<void> {
    const ending = [...this.#open.values()].map(({ transport }) => transport.close())
    this.#open.clear()
    await Promise.all(ending)
  }
}

const takesBoth = ({ headers: { accept = '' } }: IncomingMessage): boolean =>
  accept.includes('application/json') && accept.includes('text/event-stream')

/** In the form of an error of JSON-RPC, which clients show. */
function refuse(
  response: ServerResponse,
  { status, message }: { readonly status: number; readonly message: string },
): void {
  if (response.headersSent) return void response.destroy()
  const text = JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null })
  const challenge = status === 401 ? { 'www-authenticate': 'Bearer' } : {}
  // What is left of a body that was not read ends with the connection.
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close', ...challenge }).end(text)
}

type Body = { readonly value: unknown } | { readonly status: number; readonly message: string }

async function jsonIn(request: IncomingMessage, bytesMax: number): Promise<Body> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > bytesMax) return { status: 413, message: `A message may have ${bytesMax} bytes.` }
    chunks.push(chunk)
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
    return { value: parseJson(text) }
  } catch {
    return { status: 400, message: 'The body is not JSON in UTF-8.' }
  }
}

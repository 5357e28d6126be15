/** One session over standard input and output. */
import { pipeline, type Readable, type Writable } from 'node:stream'
import { onAbort } from '@varve/core'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { isInitializeRequest, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { type ServerFacts, sessionServer } from './session-server.ts'
import { beginSession, type SessionSettings } from '../session/session.ts'
import { wholeLines } from './whole-lines.ts'
import type { StoreAccess } from '../session/store-access.ts'

export interface StdioOptions extends ServerFacts {
  readonly access: StoreAccess
  readonly settings: SessionSettings
  /** The longest message of a client. */
  readonly messageBytesMax: number
  readonly input: Readable
  readonly output: Writable
  readonly signal: AbortSignal
  readonly onSession: (actor: string, bucket: string) => void
}

/** Resolves when the client ends its input, or the signal aborts. @throws what beginning the session throws */
export async function serveStdio(options: StdioOptions): Promise<void> {
  const lines = wholeLines(options.messageBytesMax)
  // What ends it is reported by the transport.
  pipeline(options.input, lines, () => undefined)
  try {
    await serveLines(options, lines)
  } finally {
    lines.destroy()
  }
}

async function serveLines(options: StdioOptions, input: Readable): Promise<void> {
  const { access, settings, messageBytesMax, output, signal, onSession } = options
  const transport = new StdioServerTransport(input, output, { maxBufferSize: 2 * messageBytesMax })
  const first = await firstMessage(transport, input, signal)
  if (first === undefined) return transport.close()
  const [message] = first.waiting
  const session = await beginSession(access, settings, clientOf(message))
  onSession(session.actor.id, session.workspace.bucket)
  const server = sessionServer(session, options)
  // It was started to read the name of the client, and can be started only once.
  transport.start = async () => undefined
  removeHandlers(transport)
  await server.connect(transport)
  for (const each of first.waiting) transport.onmessage?.(each)
  await new Promise<void>((resolve) => {
    server.onclose = resolve
    onAbort(signal, resolve)
    input.once('end', resolve).once('close', resolve)
    if (input.readableEnded || signal.aborted) resolve()
  })
  await server.close()
}

/** The server would also call the handlers that it finds. */
function removeHandlers(transport: StdioServerTransport): void {
  delete transport.onmessage
  delete transport.onclose
}

/** Messages that arrive before the session is there wait. `undefined`: the client has gone before the first one. */
async function firstMessage(
  transport: StdioServerTransport,
  input: Readable,
  signal: AbortSignal,
): Promise<{ readonly waiting: readonly JSONRPCMessage[] } | undefined> {
  const waiting: JSONRPCMessage[] = []
  const arrived = new Promise<boolean>((resolve) => {
    transport.onmessage = (message) => resolve(waiting.push(message) > 0)
    transport.onclose = () => resolve(false)
    onAbort(signal, () => resolve(false))
    input.once('end', () => resolve(false)).once('close', () => resolve(false))
  })
  await transport.start()
  return (await arrived) ? { waiting } : undefined
}

/** How the client of a first message names itself. */
export function clientOf(message: unknown): string {
  return isInitializeRequest(message) ? message.params.clientInfo.name : ''
}

/** How requests of the control API reach a server. */
import type { ClientRequest, IncomingMessage } from 'node:http'

/** A request without its body. */
export interface ControlHead {
  readonly method: string
  readonly path: string
  /** Without the question mark. */
  readonly query: string
  /** The whole body; `undefined` for a body that is streamed, after `100 Continue`. */
  readonly payload: string | undefined
  readonly signal: AbortSignal | undefined
}

export interface ControlTransport {
  /** Begins a request; the caller sends the body. */
  begin(head: ControlHead): ClientRequest
  /** @throws StorageError `StoreClosed` for an answer of another store than the one that is meant */
  check(answer: IncomingMessage): void
  /** The error for a connection that was not made. */
  unreachable(error: Error): Error
  close(): void
}

/** The headers that every transport sends. */
export const headersOf = ({ payload }: ControlHead): Readonly<Record<string, string>> => ({
  te: 'trailers',
  ...(payload === undefined && { expect: '100-continue' }),
})

/** Connections of one client. */
export const agentOptions = { keepAlive: true, maxSockets: 8 } as const

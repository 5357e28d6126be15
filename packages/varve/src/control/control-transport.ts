/** How requests of the control API reach a server. */
import type { ClientRequest, IncomingMessage } from 'node:http'
import { callType, type NamedCaller } from '@varve/http'

/** A request without its body. */
export interface ControlHead {
  readonly method: string
  readonly path: string
  /** Without the question mark. */
  readonly query: string
  /** The whole body; `undefined` for a body that is streamed, after `100 Continue`. */
  readonly payload: string | undefined
  /** The request has the form of a call. */
  readonly isCall: boolean
  /** In whose name the request is made, where it has not the form of a call. Absent: that of the keys. */
  readonly caller?: NamedCaller | undefined
}

export interface ControlTransport {
  /** Requests have the form of a call: the arguments are in the body, with the caller. */
  readonly writesCalls: boolean
  /** Begins a request; the caller sends the body. */
  begin(head: ControlHead): ClientRequest
  /** @throws StorageError `StoreClosed` for an answer of another store than the one that is meant */
  check(answer: IncomingMessage): void
  /** Called after a connection that failed. True if there is another address to try. */
  renew(): Promise<boolean>
  /** The error for a connection that was not made. */
  unreachable(error: Error): Error
  close(): void
}

/** The headers that every transport sends. */
export const headersOf = ({ payload, isCall }: ControlHead): Readonly<Record<string, string>> => ({
  te: 'trailers',
  ...(isCall && { 'content-type': callType }),
  ...(payload === undefined
    ? { expect: '100-continue', 'transfer-encoding': 'chunked' }
    : { 'content-length': String(Buffer.byteLength(payload)) }),
})

/** Each call, body and followed log of a program holds a connection. */
export const agentOptions = { keepAlive: true, maxSockets: 64, maxFreeSockets: 8 }

/** Writes a response to a Node socket, with back-pressure. Once the head is sent, a failure destroys the connection. */

import type { ServerResponse } from 'node:http'
import type { WireResponse } from '../render/wire-response.ts'
import { stepsOfSent } from '../turns/steps-of-bytes.ts'
import { turn } from '../turns/turn.ts'
import { drained } from './drained.ts'
import { writeHead } from './response-head.ts'

/** Counts the bytes of bodies that were passed to the socket. */
export interface SentBytes {
  bytesSent: number
}

/** What happens to the connection after the response. */
export interface Ending {
  /** Send `Connection: close`. */
  readonly close: boolean
  /** Awaited after everything is written and before the connection may close. */
  readonly beforeEnd?: () => Promise<void>
}

export interface WriteOptions {
  /** The client whose turns writing takes. */
  readonly turnsOf: string
  /** Counts also what was sent before a failure. */
  readonly sent: SentBytes
  readonly ending: Ending
}

/**
 * Resolves when everything was passed to the socket, or the client is gone; `undefined` if that was done at once.
 * @throws before anything is sent: Node's errors for invalid headers; later: the error of the body, after destroying
 * the connection.
 */
export function writeResponse(
  response: ServerResponse,
  wire: WireResponse,
  options: WriteOptions,
): Promise<void> | undefined {
  const { status, headers, body } = wire
  const { ending, sent } = options
  writeHead(response, status, ending.close ? { ...headers, connection: 'close' } : headers)
  const isWhole = body === undefined || body instanceof Uint8Array
  if (isWhole) sent.bytesSent += body?.length ?? 0
  if (!isWhole || ending.beforeEnd !== undefined) return writeBody(response, wire, options)
  response.end(body)
  return undefined
}

async function writeBody(
  response: ServerResponse,
  { headers, body }: WireResponse,
  { turnsOf, sent, ending: { beforeEnd } }: WriteOptions,
): Promise<void> {
  try {
    if (body instanceof Uint8Array) response.write(body)
    else if (body !== undefined) await pour(body, response, { announced: headers['content-length'], turnsOf, sent })
    else response.flushHeaders()
    await beforeEnd?.()
  } catch (error) {
    response.destroy()
    throw error
  }
  response.end()
}

async function pour(
  body: AsyncIterable<Uint8Array>,
  response: ServerResponse,
  {
    announced,
    turnsOf,
    sent: all,
  }: Pick<WriteOptions, 'turnsOf' | 'sent'> & { readonly announced: string | undefined },
): Promise<void> {
  let sent = 0
  for await (const chunk of body) {
    if (response.destroyed) return
    sent += chunk.length
    all.bytesSent += chunk.length
    turn.spend(stepsOfSent(chunk.length))
    if (!response.write(chunk)) await drained(response)
    if (turn.isOver) await turn.next(turnsOf)
  }
  if (announced !== undefined && sent !== Number(announced)) {
    throw new RangeError(`The body has ${sent} bytes, not the ${announced} that were announced.`)
  }
}

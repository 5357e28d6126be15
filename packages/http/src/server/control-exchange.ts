/** One request of the control API on a Node connection. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Actor, GrowingBytes, type ObjectContent, type Store } from '@varve/core'
import { answerControl, type ControlAnswer, ownerJudge, type ParsedControl } from '../control/answer-control.ts'
import { ownerHolding } from '../control/answer-holding.ts'
import { type ControlBody, tooLong } from '../control/json-body.ts'
import { namedIn } from '../control/named-in.ts'
import { auditSocket, type SocketAction } from '../observing/audit.ts'
import type { RequestLogger } from '../observing/request-logger.ts'
import { local } from '../policies/local.ts'
import { callType } from '../control/call-form.ts'
import { controlErrorOf } from '../control/control-error.ts'
import { stepsOfSent } from '../turns/steps-of-bytes.ts'
import { turn } from '../turns/turn.ts'
import { toWireError } from '../errors/wire-error.ts'
import { drained } from './drained.ts'
import { nodeBody } from './node-body.ts'
import { socketRefusal, toOriginForm } from './request-framing.ts'
import { writeHead } from './response-head.ts'

export interface ControlExchangeOptions {
  readonly headers: Readonly<Record<string, string>>
  /** The client waits for `100 Continue` before it sends its body. */
  readonly expectsContinue: boolean
  /** Writes a line for each action. */
  readonly auditLog?: RequestLogger | undefined
  /** Aborts when the store closes. */
  readonly closing: AbortSignal
  /** Whether the answer is the last one on its connection. */
  readonly isLast: () => boolean
}

/** The trailer with the error of bytes that end early. It is sent to clients that send `TE: trailers`. */
export const errorTrailer = 'x-varve-error'

const lineBatch = 32 * 1024
/** A slow program may feed a body for hours; connections are limited in another way. */
const anySpeed = { bytesPerSecond: 0, windowMs: 2 ** 31 - 1 }

/** Resolves when the answer was passed to the socket, or the client is gone. */
export async function controlExchange(
  store: Store,
  request: IncomingMessage,
  response: ServerResponse,
  { headers, expectsContinue, closing, isLast, auditLog }: ControlExchangeOptions,
): Promise<void> {
  const gone = new AbortController()
  response.once('close', () => gone.abort(new DOMException('The client is gone.', 'AbortError')))
  toOriginForm(request)
  const refused = socketRefusal(request)
  if (refused !== undefined) {
    request.resume()
    const { status } = toWireError(refused)
    writeHead(response, status, { ...headers, connection: 'close', 'content-type': 'application/json' })
    return void response.end(JSON.stringify({ error: controlErrorOf(refused) }))
  }
  const { method = '', url: target = '', headers: received } = request
  const contentType = received['content-type']
  const onRest = (): void => {
    if (expectsContinue) response.writeContinue()
  }
  // A call sends its arguments at once, and its bytes when they are wanted.
  const onFirstRead = contentType === callType ? () => undefined : onRest
  const { source } = nodeBody(request, { minimumSpeed: anySpeed, turnsOf: '', onFirstRead })
  const signal = AbortSignal.any([gone.signal, closing])
  const lastEventId = request.headersDistinct['last-event-id']?.[0]
  const trailer = (name: string): string | undefined => request.trailers[name]
  const by = unnamedCaller(store)
  let parsed: ParsedControl | undefined
  const answer = await answerControl(
    { method, target, body: bodyOn(source), accept: received.accept, lastEventId, contentType, onRest, trailer },
    ownerJudge,
    { place: { store }, by, holding: ownerHolding, signal, onParsed: (one) => (parsed = one) },
  )
  if (auditLog !== undefined) auditSocket(auditLog, actionOf({ method, by }, parsed, answer))
  const isOver = isLast() || !request.complete
  const all = { ...answer.headers, ...headers, ...(isOver && { connection: 'close' }) }
  // Discard the rest of the body, so that the client can read the answer.
  request.resume()
  if (answer.gives === 'bytes') {
    return sendBytes(response, { ...answer, headers: all }, received.te?.includes('trailers') === true)
  }
  writeHead(response, answer.status, all)
  if (answer.gives === 'value') return void response.end(answer.text)
  await sendLines(response, answer.lines)
  response.end()
}

const unnamedCaller = ({ owner }: Store): Actor => owner.operators.root ?? local

/** Only the owner of the store sends such bodies, so they are limited by the number of connections. */
const bodyOn = (source: AsyncIterable<Uint8Array>): ControlBody => ({
  stream: () => source,
  async whole(bytesMax) {
    const gathered = new GrowingBytes(bytesMax)
    for await (const piece of source) {
      if (gathered.length + piece.length > bytesMax) throw tooLong(bytesMax)
      gathered.push(piece)
    }
    return gathered.bytes
  },
})

/** A line is written when the answer begins: followed logs may never end. */
function actionOf(
  { method, by }: { readonly method: string; readonly by: Actor },
  parsed: ParsedControl | undefined,
  answer: ControlAnswer,
): SocketAction {
  const { caller, row, input = {} } = parsed ?? {}
  return {
    requestId: caller?.requestId,
    identity: caller?.by?.name ?? by.name,
    method,
    operation: row?.name,
    ...namedIn(input),
    status: answer.status,
    errorCode: answer.gives === 'value' && answer.status >= 400 ? codeIn(answer.text) : undefined,
  }
}

const codeIn = (text: string): string | undefined =>
  (JSON.parse(text) as { readonly error?: { readonly code?: string } }).error?.code

/** Sends lines together while they come at once, and the last of them without delay. */
async function sendLines(response: ServerResponse, lines: AsyncIterable<string>): Promise<void> {
  let batch = ''
  let timer: NodeJS.Immediate | undefined
  const send = (): boolean => {
    clearImmediate(timer)
    timer = undefined
    const text = batch
    batch = ''
    return text === '' || response.write(text)
  }
  response.flushHeaders()
  for await (const line of lines) {
    if (response.destroyed) return
    batch += line
    if (batch.length < lineBatch && !response.writableNeedDrain) timer ??= setImmediate(send)
    else await sent(response, batch.length, send)
  }
  send()
}

async function sent(response: ServerResponse, size: number, send: () => boolean): Promise<void> {
  turn.spend(stepsOfSent(size))
  if (!send()) await drained(response)
  if (turn.isOver) await turn.next('')
}

type BytesAnswer = Extract<ControlAnswer, { readonly gives: 'bytes' }>

/**
 * A body that ends early must not look complete. With trailers, its error follows the bytes. Without them, fewer bytes
 * arrive than were announced.
 */
async function sendBytes(
  response: ServerResponse,
  { status, headers, content }: BytesAnswer,
  trailers: boolean,
): Promise<void> {
  const framing: Readonly<Record<string, string>> = trailers
    ? { trailer: errorTrailer }
    : { 'content-length': String(content.size) }
  writeHead(response, status, { ...headers, ...framing })
  try {
    await pour(response, content)
  } catch (error) {
    if (!trailers) return void response.destroy()
    response.addTrailers({ [errorTrailer]: encodeURIComponent(JSON.stringify(controlErrorOf(error))) })
  } finally {
    await content.close().catch(() => undefined)
  }
  response.end()
}

async function pour(response: ServerResponse, { body }: Pick<ObjectContent, 'body'>): Promise<void> {
  response.flushHeaders()
  for await (const chunk of body) {
    if (response.destroyed) return
    await sent(response, chunk.length, () => response.write(chunk))
  }
}

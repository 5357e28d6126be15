/** Answers requests that Node's parser refused. There is no request object, only a socket. */

import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { S3Error } from '../errors/errors.ts'
import { errorAnswer } from '../render/error-answer.ts'
import { wireResponse } from '../render/wire-response.ts'
import type { WireResponseOptions } from '../render/wire-response.ts'
import { lingerMs } from './linger.ts'
import { headText } from './response-head.ts'

/**
 * Answers 400, 405 or 408 in XML if nothing was answered yet, and closes the connection. If the request before the
 * error arrived completely, its answer is sent first and is the last one on the connection.
 */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex, sealed: WireResponseOptions): void {
  const response = responseOn(socket)
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  if (response?.req.complete === true) {
    endAfter(response, socket)
    return
  }
  if (response?.headersSent === true) {
    socket.destroy()
    return
  }
  const answer = errorAnswer(refusal(error.code, response !== undefined), { resource: '', requestId: sealed.requestId })
  const { status, headers, body } = wireResponse(answer, sealed)
  socket.write(headText(status, reasons.get(status) ?? '', { ...headers, connection: 'close' }))
  if (body instanceof Uint8Array) socket.write(body)
  endSoon(socket)
}

/** Node reports each further piece of input as an error, so this handles only the first report. */
function endAfter(response: ServerResponse, socket: Duplex): void {
  if (lastOnes.has(response)) return
  lastOnes.add(response)
  response.shouldKeepAlive = false
  response.once('finish', () => endSoon(socket))
}

/**
 * Ends our side of the socket. If the client keeps sending, its data is read for a moment, so that the client receives
 * the answer. Then the connection is cut.
 */
function endSoon(socket: Duplex): void {
  socket.end()
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(timer))
}

const lastOnes = new WeakSet<ServerResponse>()

const reasons = new Map([
  [400, 'Bad Request'],
  [405, 'Method Not Allowed'],
  [408, 'Request Timeout'],
])

function refusal(code: string | undefined, inBody: boolean): S3Error {
  if (inBody && code === 'HPE_INVALID_EOF_STATE') {
    return new S3Error('IncompleteBody', 'The request body terminated unexpectedly')
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new S3Error(
      'RequestTimeout',
      'Your socket connection to the server was not read from within the timeout period.',
    )
  }
  if (code === 'HPE_HEADER_OVERFLOW') return headersTooLarge()
  if (code === 'HPE_INVALID_METHOD') {
    return new S3Error('MethodNotAllowed', 'The specified method is not allowed against this resource.')
  }
  return new S3Error('InvalidRequest', 'The request is not well-formed HTTP.')
}

export function headersTooLarge(): S3Error {
  return new S3Error(
    'RequestHeaderSectionTooLarge',
    'Your request header section exceeds the maximum allowed request header section size.',
  )
}

/** Returns the response in progress. Node keeps it on its socket, because Node's own error handler needs it too. */
function responseOn(socket: Duplex & { readonly _httpMessage?: ServerResponse | null }): ServerResponse | undefined {
  return socket._httpMessage ?? undefined
}

/** One HTTP exchange. Bodies that report their progress need XMLHttpRequest, because `fetch` has no progress of uploads. */

import { Unreachable } from './failures.ts'
import type { Headers as HeaderFields } from '../signing/sign.ts'

export interface HttpRequest {
  readonly method: string
  readonly url: string
  readonly headers: HeaderFields
  readonly body?: string | Blob | undefined
  readonly signal?: AbortSignal | undefined
  /** Called with the bytes that were sent so far. */
  readonly onProgress?: ((bytesSent: number) => void) | undefined
}

/** @throws Unreachable; `AbortError` when `signal` is aborted */
export async function send(request: HttpRequest): Promise<Response> {
  if (request.onProgress !== undefined) return sendWithProgress(request, request.onProgress)
  const { method, url, headers, body, signal } = request
  try {
    return await fetch(url, {
      method,
      headers,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      ...(body !== undefined && { body }),
      ...(signal !== undefined && { signal }),
    })
  } catch (error) {
    if (signal?.aborted) throw aborted()
    throw new Unreachable(error)
  }
}

const aborted = (): DOMException => new DOMException('The request was cancelled.', 'AbortError')

function sendWithProgress(request: HttpRequest, onProgress: (bytesSent: number) => void): Promise<Response> {
  const { method, url, headers, body, signal } = request
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(aborted())
      return
    }
    const exchange = new XMLHttpRequest()
    const abort = (): void => exchange.abort()
    exchange.open(method, url)
    for (const [name, value] of Object.entries(headers)) exchange.setRequestHeader(name, value)
    exchange.upload.addEventListener('progress', ({ loaded }) => onProgress(loaded))
    exchange.addEventListener('load', () => resolve(responseOf(exchange)))
    exchange.addEventListener('error', () => reject(new Unreachable(undefined)))
    exchange.addEventListener('timeout', () => reject(new Unreachable(undefined)))
    exchange.addEventListener('abort', () => reject(aborted()))
    exchange.addEventListener('loadend', () => signal?.removeEventListener('abort', abort))
    signal?.addEventListener('abort', abort)
    exchange.send(body ?? null)
  })
}

function responseOf(exchange: XMLHttpRequest): Response {
  const headers = new Headers()
  for (const line of exchange
    .getAllResponseHeaders()
    .trim()
    .split(/[\r\n]+/)) {
    const colon = line.indexOf(':')
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim())
  }
  const hasBody = exchange.status !== 204 && exchange.status !== 304
  return new Response(hasBody ? exchange.responseText : null, { status: exchange.status, headers })
}

/** The last step before sending, the only one that adds ids, date, both spellings of vendor headers, and length. */

import { formatHttpDate } from '../headers/http-date.ts'
import type { Answer, AnswerHeaders } from '../contract/answer.ts'

export interface WireResponse {
  readonly status: number
  /** Names in lower case, one byte per character. */
  readonly headers: Readonly<Record<string, string>>
  /** Absent when no body may be sent. */
  readonly body?: Uint8Array | AsyncIterable<Uint8Array>
}

export interface WireResponseOptions {
  readonly method: string
  readonly requestId: string
  /** Milliseconds since the epoch. */
  readonly now: number
  /** For answers without such headers of their own: see guarded-origin.ts. */
  readonly guard: AnswerHeaders | undefined
}

/** Removes the body from answers to HEAD, errors included. */
export function wireResponse(answer: Answer, { method, requestId, now, guard }: WireResponseOptions): WireResponse {
  const { status } = answer
  const body = typeof answer.body === 'string' ? Buffer.from(answer.body, 'utf8') : answer.body
  const bodiless = status === 204 || status === 304
  const length = bodiless ? undefined : (answer.contentLength ?? lengthOf(body, method))
  const headers: Record<string, string> = {
    'x-amz-request-id': requestId,
    'x-svc-request-id': requestId,
    'x-request-id': requestId,
    date: httpDate(now),
    server: 'Varve',
  }
  if (guard !== undefined) Object.assign(headers, guard)
  addTwice(headers, answer.headers)
  if (length !== undefined) headers['content-length'] = String(length)
  return { status, headers, ...(body !== undefined && !bodiless && method !== 'HEAD' && { body }) }
}

/** Only its maker knows the length of an iterable. For HEAD, no length is better than one that GET would not have. */
function lengthOf(body: WireResponse['body'], method: string): number | undefined {
  if (method === 'HEAD') return undefined
  if (body === undefined) return 0
  return body instanceof Uint8Array ? body.byteLength : undefined
}

function addTwice(to: Record<string, string>, headers: Answer['headers']): void {
  for (const name in headers) {
    const value = headers[name] as string
    to[name] = value
    if (name.startsWith('x-amz-')) to[`x-svc-${name.slice(6)}`] = value
  }
}

let [second, secondText] = [Number.NaN, '']

/** Caches the text for a second, since many answers share it. */
function httpDate(now: number): string {
  const current = Math.floor(now / 1000)
  if (current !== second) [second, secondText] = [current, formatHttpDate(new Date(now))]
  return secondText
}

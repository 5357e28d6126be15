/** What a handler answers: status, headers in one spelling, and a body. Rendering adds the rest. */

import { xmlDocument } from '../xml/write.ts'
import type { XmlContent } from '../xml/write.ts'

/** Names are in lower case, vendor names as `x-amz-…`; the server adds the `x-svc-…` twin. One byte per character. */
export type AnswerHeaders = Readonly<Record<string, string>>

/** Text is sent as UTF-8. An iterable is read with back-pressure, and closed early when the client goes away. */
export type AnswerBody = string | Uint8Array | AsyncIterable<Uint8Array>

/** What a handler answers. Rendering adds the headers that every answer has. */
export interface Answer {
  readonly status: number
  /** Without `content-length`, `date`, `server` and request ids. */
  readonly headers?: AnswerHeaders
  /** Never sent for HEAD, 204 and 304. */
  readonly body?: AnswerBody
  /** Bytes of the body. Required for an iterable, and for HEAD: the bytes that GET would send. Otherwise computed. */
  readonly contentLength?: number
}

/**
 * An answer that may take minutes. Before making one, refuse everything that is cheap to check. If `slow` settles in
 * time, it is sent like any other answer or error, with its own status. If not, the server sends `200`, the XML
 * declaration and white space while it waits, then the body of the answer or an `<Error>`. The status and headers of
 * the late answer are then lost, except for those in `early`. The body must be text made by `xmlAnswer`.
 */
export interface SlowAnswer {
  readonly slow: Promise<Answer>
  /** Headers that are known before the end, for a status that is sent early. */
  readonly early?: () => Promise<AnswerHeaders>
}

/** An answer, or one that may take minutes. */
export type Result = Answer | SlowAnswer

/** 200 by default, without a body. */
export function emptyAnswer(status = 200, headers: AnswerHeaders = {}): Answer {
  return { status, headers }
}

/** An XML document. `namespace` is that of the root, from `context.options`; `''` for none. */
export function xmlAnswer(
  root: string,
  namespace: string,
  children: XmlContent,
  { status = 200, headers = {} }: { readonly status?: number; readonly headers?: AnswerHeaders } = {},
): Answer {
  return {
    status,
    headers: { 'content-type': 'application/xml', ...headers },
    body: xmlDocument(root, namespace, children),
  }
}

/** The same result with more headers, also if it takes minutes. */
export function withHeaders(result: Result, more: AnswerHeaders): Result {
  const add = (answer: Answer): Answer => ({ ...answer, headers: { ...answer.headers, ...more } })
  if (!('slow' in result)) return add(result)
  const { slow, early } = result
  return { slow: slow.then(add), early: async () => ({ ...(await early?.()), ...more }) }
}

/** What a handler answers: status, headers in one spelling, and a body. Rendering adds the rest. */

import { xmlDocument } from '../xml/write.ts'
import type { XmlContent } from '../xml/write.ts'

/** Names in lower case, vendor names as `x-amz-…` (the `x-svc-…` twin is added for you). One byte per character. */
export type AnswerHeaders = Readonly<Record<string, string>>

/** Text goes out as UTF-8. An iterable is read with back-pressure and left early when the client goes away. */
export type AnswerBody = string | Uint8Array | AsyncIterable<Uint8Array>

export interface Answer {
  readonly status: number
  /** Not `content-length`, `date`, `server` or request ids. */
  readonly headers?: AnswerHeaders
  /** Never sent for HEAD, 204 and 304. */
  readonly body?: AnswerBody
  /** Bytes of the body. Needed with an iterable, and with HEAD for what GET would send; otherwise computed. */
  readonly contentLength?: number
}

/**
 * An answer that may take minutes. Refuse everything cheap to refuse before making one. If `slow` settles in time, it is
 * an answer (or an error with its own status) like any other. If not, `200`, the XML declaration and white space go out
 * while it lasts, then its body or an `<Error>`: status and headers of the late answer are lost, but for those that `early`
 * knows. Its body must be text made by `xmlAnswer`.
 */
export interface SlowAnswer {
  readonly slow: Promise<Answer>
  /** Headers that are known before the end, for a status that is sent early. */
  readonly early?: () => Promise<AnswerHeaders>
}

export type Result = Answer | SlowAnswer

/** 200 by default, without a body. */
export function emptyAnswer(status = 200, headers: AnswerHeaders = {}): Answer {
  return { status, headers }
}

/** An XML document. `namespace`: of the root, from `context.options`; `''` for none. */
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

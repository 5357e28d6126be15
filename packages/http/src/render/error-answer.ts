import { quoted } from '../errors/quote.ts'
import { toWireError } from '../errors/wire-error.ts'
import type { Answer } from '../contract/answer.ts'
import { element, messageElement, xmlDocument, xmlRoot } from '../xml/write.ts'
import type { Xml } from '../xml/write.ts'

export interface ErrorPlace {
  /** The requested resource, in its original spelling. */
  readonly resource: string
  readonly requestId: string
}

/** The answer to any thrown error. Its root has no namespace, as in S3. */
export function errorAnswer(error: unknown, place: ErrorPlace): Answer {
  const { status, headers } = toWireError(error)
  // 304 describes the object, and has no document and no content type.
  const hasDocument = status !== 304
  return {
    status,
    headers: { ...(hasDocument && { 'content-type': 'application/xml' }), ...headers },
    body: xmlDocument('Error', '', elements(error, place)),
  }
}

/** The error at the end of a body that has begun: without a declaration and without a status. */
export function lateError(error: unknown, place: ErrorPlace): string {
  return xmlRoot('Error', '', elements(error, place))
}

function elements(error: unknown, { resource, requestId }: ErrorPlace): readonly Xml[] {
  const { code, message, details } = toWireError(error)
  return [
    element('Code', code),
    messageElement('Message', message),
    ...Object.entries(details).map(([name, value]) => element(name, value)),
    element('Resource', quoted(resource, 'Resource')),
    element('RequestId', requestId),
    element('HostId', requestId),
  ]
}

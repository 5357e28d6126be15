/** Error pages of a website: HTML for people. */

import { STATUS_CODES } from 'node:http'
import { toWireError } from '../errors/wire-error.ts'
import type { WireError } from '../errors/wire-error.ts'
import { emptyAnswer } from '../contract/answer.ts'
import type { Answer } from '../contract/answer.ts'
import { escapeXml } from '../xml/write.ts'

/** @param besides The error of looking for the site's own error document. */
export function errorPage(error: unknown, requestId: string, besides?: unknown): Answer {
  const wire = toWireError(error)
  const { status, code, message, headers } = wire
  if (status === 304) return emptyAnswer(status, headers)
  const title = `${status} ${STATUS_CODES[status] ?? code}`
  const page = [
    '<html>',
    `<head><title>${title}</title></head>`,
    '<body>',
    `<h1>${title}</h1>`,
    ...listOf({ ...fieldsOf(wire), RequestId: requestId, HostId: requestId }),
    ...(besides === undefined ? [] : nested(toWireError(besides))),
    '<hr/>',
    '</body>',
    '</html>',
    '',
  ]
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'x-amz-error-code': code,
      ...printable(message),
      ...headers,
    },
    body: page.join('\n'),
  }
}

const nested = (wire: WireError): readonly string[] => [
  '<h3>An Error Occurred While Attempting to Retrieve a Custom Error Document</h3>',
  ...listOf(fieldsOf(wire)),
]

const fieldsOf = ({ code, message, details }: WireError) => ({ Code: code, Message: message, ...details })

const listOf = (fields: Readonly<Record<string, string>>): readonly string[] => [
  '<ul>',
  ...Object.entries(fields).map(([name, value]) => `<li>${name}: ${escapeXml(value)}</li>`),
  '</ul>',
]

const printable = (message: string): Readonly<Record<string, string>> =>
  /^[\x20-\x7e]*$/.test(message) ? { 'x-amz-error-message': message } : {}

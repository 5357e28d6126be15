/** Errors of STS that S3 does not have, and the form in which STS answers errors. */

import type { Answer } from '../contract/answer.ts'
import { quoted } from '../errors/quote.ts'
import { toWireError } from '../errors/wire-error.ts'
import { element, xmlDocument } from '../xml/write.ts'

export const stsNamespace = 'https://sts.amazonaws.com/doc/2011-06-15/'

type StsErrorCode = 'InvalidAction' | 'MalformedPolicyDocument' | 'ValidationError'

/** An error with a code of STS. Its message has no secret. */
export class StsError extends Error {
  override readonly name = 'StsError'
  readonly code: StsErrorCode

  constructor(code: StsErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** STS has other codes for some errors of signatures. */
const codes: Readonly<Record<string, string>> = {
  InvalidAccessKeyId: 'InvalidClientTokenId',
  InvalidToken: 'InvalidClientTokenId',
}

export function stsErrorAnswer(error: unknown, requestId: string): Answer {
  const { status, code, message } =
    error instanceof StsError ? { code: error.code, message: quoted(error.message), status: 400 } : toWireError(error)
  const shown = [
    element('Type', status < 500 ? 'Sender' : 'Receiver'),
    element('Code', codes[code] ?? code),
    element('Message', message),
  ]
  const body = xmlDocument('ErrorResponse', stsNamespace, [element('Error', shown), element('RequestId', requestId)])
  return {
    status: code === 'InvalidAccessKeyId' || code === 'InvalidToken' ? 403 : status,
    headers: { 'content-type': 'text/xml' },
    body,
  }
}

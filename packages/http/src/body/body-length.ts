/** Computes the length of a body from its headers, before any of it is read. */

import { S3Error } from '../errors/errors.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import { isStreaming } from '../sigv4/payload-form.ts'
import type { PayloadForm } from '../sigv4/payload-form.ts'

export interface BodyLengthOptions {
  readonly payload: PayloadForm
  /** The most decoded bytes of a body. */
  readonly bytesMax: number
  /** Refuse a request without a length. Otherwise such a request has no body. */
  readonly required: boolean
}

/**
 * The decoded length, or `undefined` for a plain body in HTTP chunks, which marks its own end.
 * @throws S3Error `MissingContentLength`; `EntityTooLarge`; `InvalidArgument` for a length that is not a whole number.
 */
export function bodyLength(
  headers: RequestHeaders,
  { payload, bytesMax, required }: BodyLengthOptions,
): number | undefined {
  const encoded = wholeNumber(headers, 'content-length')
  const inHttpChunks = headers.has('transfer-encoding')
  if (encoded === undefined && !inHttpChunks) {
    if (required || isStreaming(payload)) throw missing('You must provide the Content-Length HTTP header.')
    return 0
  }
  const decoded = isStreaming(payload) ? wholeNumber(headers, 'x-amz-decoded-content-length') : encoded
  if (isStreaming(payload)) {
    if (decoded === undefined) throw missing('You must provide the x-amz-decoded-content-length HTTP header.')
    // Framing only adds bytes, so a body that is shorter than its decoded length is known to be incomplete.
    if (encoded !== undefined && encoded < decoded) {
      throw new S3Error('IncompleteBody', 'The request body is shorter than its x-amz-decoded-content-length.')
    }
  }
  if (decoded !== undefined && decoded > bytesMax) throw tooLarge(decoded, bytesMax)
  return decoded
}

export function tooLarge(size: number, bytesMax: number): S3Error {
  return new S3Error('EntityTooLarge', 'Your proposed upload exceeds the maximum allowed size', {
    details: { ProposedSize: String(size), MaxSizeAllowed: String(bytesMax) },
  })
}

function wholeNumber(headers: RequestHeaders, name: string): number | undefined {
  const text = headers.single(name)
  if (text === undefined) return undefined
  if (/^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text)
  throw new S3Error('InvalidArgument', `${name} must be a whole number.`, {
    details: { ArgumentName: name, ArgumentValue: text },
  })
}

function missing(message: string): S3Error {
  return new S3Error('MissingContentLength', message)
}

/**
 * Tokens that continue a listing: opaque to clients, safe in URLs and XML. A token contains the name of the last entry
 * shown, not its index, so the listing continues after that name even when the entry was deleted since.
 */

import { S3Error } from '../errors/errors.ts'

export function encodeToken(after: string): string {
  return Buffer.from(mark + after, 'utf8').toString('base64url')
}

/** @throws S3Error `InvalidArgument` for a token that this server did not make. */
export function decodeToken(token: string): string {
  const bytes = Buffer.from(token, 'base64url')
  const text = bytes.toString('utf8')
  if (text.startsWith(mark) && encodeToken(text.slice(mark.length)) === token) return text.slice(mark.length)
  throw new S3Error('InvalidArgument', 'The continuation token provided is incorrect', {
    details: { ArgumentName: 'continuation-token' },
  })
}

/** Distinguishes a token from other base64 text, and allows another format later. */
const mark = '1:'

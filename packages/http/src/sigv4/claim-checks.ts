/** Checks of a claim whose signature is valid. */

import type { PayloadForm } from './payload-form.ts'
import { S3Error } from '../errors/errors.ts'
import type { SignatureClaim } from './claim.ts'

/** S3's tolerance for clock differences: 15 minutes. */
export const defaultSkewMs = 15 * 60 * 1000

/**
 * @throws S3Error `RequestTimeTooSkewed` for a signed request beyond `maxSkewMs` either way; `AccessDenied` for a
 *   presigned URL used after its time, or more than `maxSkewMs` before it.
 */
export function checkTime(
  claim: Pick<SignatureClaim, 'expires' | 'time' | 'amzDate'>,
  now: number,
  maxSkewMs: number,
): void {
  if (claim.expires === undefined) {
    if (Math.abs(now - claim.time) <= maxSkewMs) return
    throw new S3Error(
      'RequestTimeTooSkewed',
      'The difference between the request time and the current time is too large.',
      {
        details: {
          RequestTime: claim.amzDate,
          ServerTime: isoSeconds(now),
          MaxAllowedSkewMilliseconds: String(maxSkewMs),
        },
      },
    )
  }
  const expiry = claim.time + claim.expires * 1000
  if (now > expiry) {
    throw new S3Error('AccessDenied', 'Request has expired', {
      details: { 'X-Amz-Expires': String(claim.expires), Expires: isoSeconds(expiry), ServerTime: isoSeconds(now) },
    })
  }
  if (claim.time - now > maxSkewMs) {
    throw new S3Error('AccessDenied', 'Request is not yet valid', {
      details: { 'X-Amz-Date': claim.amzDate, ServerTime: isoSeconds(now) },
    })
  }
}

/** @throws S3Error `AccessDenied` when the method may have a body and the signature does not cover it. */
export function checkUnsignedPayload(method: string, payload: PayloadForm): void {
  const open = payload.kind === 'unsigned' || payload.kind === 'streaming-unsigned-trailer'
  if (!open || (method !== 'PUT' && method !== 'POST')) return
  throw new S3Error('AccessDenied', 'This endpoint takes only bodies that are covered by the signature.')
}

export function isoSeconds(time: number): string {
  return new Date(time).toISOString().replace(/\.\d{3}Z$/, 'Z')
}

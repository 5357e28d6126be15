import { S3Error } from '../errors/errors.ts'
import { withoutSecretsByName } from '../contract/redaction.ts'
import type { SignatureClaim } from './claim.ts'

/**
 * The fields for comparison, as S3 sends them. The signature may be valid for another request, such as the same URL by another
 * method, and answers end up in reports and logs: so it is shown only as far as needed to recognise it, tokens and
 * customer keys not at all.
 */
export function mismatch(claim: SignatureClaim, text: string, canonical: string): S3Error {
  return new S3Error(
    'SignatureDoesNotMatch',
    'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
    {
      details: {
        AWSAccessKeyId: claim.accessKeyId,
        StringToSign: text,
        SignatureProvided: claim.signature.length > 8 ? `${claim.signature.slice(0, 8)}…` : claim.signature,
        CanonicalRequest: withoutSecretsByName(Buffer.from(canonical, 'latin1').toString('utf8')),
      },
    },
  )
}

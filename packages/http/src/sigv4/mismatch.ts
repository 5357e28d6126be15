import { S3Error } from '../errors/errors.ts'
import { withoutSecretsByName } from '../contract/redaction.ts'
import type { SignatureClaim } from './claim.ts'

/**
 * The error shows the fields to compare, as S3 sends them. The signature may be valid for another request, such as the
 * same URL with another method, and answers end up in reports and logs. So only the part that is needed to recognise
 * the signature is shown; tokens and customer keys are left out.
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

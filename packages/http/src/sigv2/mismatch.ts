import { S3Error } from '../errors/errors.ts'
import { withoutSecretsByName } from '../contract/redaction.ts'
import type { V2Claim } from './claim.ts'

/**
 * The error shows the fields that people compare, under S3's names. The signature may be valid for another request, so
 * only its beginning is shown. Tokens and customer keys are left out.
 */
export function v2Mismatch({ accessKeyId, signature }: V2Claim, text: string): S3Error {
  const shown = withoutSecretsByName(Buffer.from(text, 'latin1').toString('utf8'))
  return new S3Error(
    'SignatureDoesNotMatch',
    'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
    {
      details: {
        AWSAccessKeyId: accessKeyId,
        StringToSign: shown,
        SignatureProvided: signature.length > 8 ? `${signature.slice(0, 8)}…` : signature,
      },
    },
  )
}

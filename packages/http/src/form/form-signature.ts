/**
 * Verifies the signature of a form. It covers the policy field as sent, by V4, or by V2, which some forms still use.
 * (Forms may use either version in every dialect.)
 */

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { S3Error } from '../errors/errors.ts'
import { redacted } from '../contract/redaction.ts'
import { parseAmzDate } from '../headers/amz-date.ts'
import { checkScopeDay, parseCredential } from '../sigv4/claim.ts'
import type { AcceptedRegions } from '../sigv4/claim.ts'
import { hmacHex, sameToken, signaturesEqual } from '../sigv4/digests.ts'
import { deriveSigningKey } from '../sigv4/signing-keys.ts'
import type { KeyHolder } from '../sigv4/verification.ts'

export interface FormSigners<T extends KeyHolder> {
  /** Regions that a credential scope may name. */
  readonly regions: AcceptedRegions
  readonly credentials: (accessKeyId: string, sessionToken?: string) => T | undefined
}

/** By lower-case name. */
export type FormFields = ReadonlyMap<string, string>

/**
 * The identity that signed the policy of this form; `undefined` for an unsigned form, whose policy has no effect.
 * @throws S3Error `InvalidArgument` for a missing or invalid field of a signature; `InvalidAccessKeyId`,
 * `SignatureDoesNotMatch`, `InvalidToken`.
 */
export function verifyForm<T extends KeyHolder>(fields: FormFields, signers: FormSigners<T>): T | undefined {
  const claim = readClaim(fields, signers.regions)
  if (claim === undefined) return undefined
  const identity = signers.credentials(claim.accessKeyId, fields.get('x-amz-security-token'))
  const matches = claim.isMadeWith(identity?.secretAccessKey ?? unknownSecret)
  if (identity === undefined) {
    throw new S3Error('InvalidAccessKeyId', 'The AWS Access Key Id you provided does not exist in our records.', {
      details: { AWSAccessKeyId: claim.accessKeyId },
    })
  }
  if (!matches) throw mismatch(claim)
  if (!sameToken(identity.sessionToken, fields.get('x-amz-security-token'))) {
    throw new S3Error('InvalidToken', 'The provided token is malformed or otherwise invalid.')
  }
  return identity
}

/** Replaces the secret of an unknown key, so that an unknown key costs the same work as a known one. */
const unknownSecret = randomBytes(30).toString('base64')

interface Claim {
  readonly accessKeyId: string
  readonly policy: string
  readonly signature: string
  isMadeWith(secret: string): boolean
}

/** If one field of a signature is present, all of them are required. */
function readClaim(fields: FormFields, regions: AcceptedRegions): Claim | undefined {
  const isSigned = [...v4Fields, ...v2Fields].some((name) => fields.has(name.toLowerCase()))
  if (!isSigned) return undefined
  return versionOf(fields) === 'AWS' ? v2Claim(fields) : v4Claim(fields, regions)
}

/**
 * The signature version of a signed form. The field of the signature alone decides it: a V2 form may have a field
 * `x-amz-date`. A form without a signature is refused; the other fields decide which one is missing.
 */
export function versionOf(fields: FormFields): 'AWS' | 'AWS4-HMAC-SHA256' {
  if (fields.has('x-amz-signature')) return 'AWS4-HMAC-SHA256'
  if (fields.has('signature')) return 'AWS'
  return v4Fields.some((name) => fields.has(name.toLowerCase())) ? 'AWS4-HMAC-SHA256' : 'AWS'
}

/** The fields of a V4 signature, as headers are named. */
export const signatureFields = ['x-amz-algorithm', 'x-amz-credential', 'x-amz-date', 'x-amz-signature'] as const

/** In the order in which missing fields are reported. */
const v4Fields = ['X-Amz-Algorithm', 'X-Amz-Credential', 'X-Amz-Date', 'X-Amz-Signature'] as const
const v2Fields = ['AWSAccessKeyId', 'Signature'] as const

function v4Claim(fields: FormFields, regions: AcceptedRegions): Claim {
  const [algorithm = '', credential = '', date = '', signature = ''] = v4Fields.map((name) => neededField(fields, name))
  if (algorithm !== 'AWS4-HMAC-SHA256') throw wrong('X-Amz-Algorithm', algorithm, 'must be AWS4-HMAC-SHA256.')
  const refuse = (reason: string) => wrong('X-Amz-Credential', credential, reason)
  const { accessKeyId, scope } = parseCredential(credential, regions, refuse)
  if (parseAmzDate(date) === undefined) throw wrong('X-Amz-Date', date, 'must be in the format "yyyyMMddTHHmmssZ".')
  checkScopeDay(scope, date, refuse)
  const policy = neededField(fields, 'policy')
  return {
    accessKeyId,
    policy,
    signature,
    isMadeWith: (secret) => signaturesEqual(hmacHex(deriveSigningKey(secret, scope), latin1Of(policy)), signature),
  }
}

function v2Claim(fields: FormFields): Claim {
  const [accessKeyId = '', signature = ''] = v2Fields.map((name) => neededField(fields, name))
  const policy = neededField(fields, 'policy')
  return {
    accessKeyId,
    policy,
    signature,
    isMadeWith(secret) {
      const expected = createHmac('sha1', secret).update(policy, 'utf8').digest()
      const given = Buffer.from(signature, 'base64')
      return given.length === expected.length && timingSafeEqual(expected, given)
    },
  }
}

const latin1Of = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

/** A required field. @throws S3Error `InvalidArgument` */
export function neededField(fields: FormFields, name: string): string {
  const value = fields.get(name.toLowerCase())
  if (value !== undefined) return value
  throw new S3Error(
    'InvalidArgument',
    `Bucket POST must contain a field named '${name}'.  If it is specified, please check the order of the fields.`,
    { details: { ArgumentName: name, ArgumentValue: '' } },
  )
}

function wrong(name: string, value: string, reason: string): S3Error {
  return new S3Error('InvalidArgument', `${name}: ${reason}`, { details: { ArgumentName: name, ArgumentValue: value } })
}

/** The error shows the signed text, which the client has in its own page. A policy that names a secret is left out. */
function mismatch({ accessKeyId, policy, signature }: Claim): S3Error {
  const shown = namesSecret(policy) ? redacted : policy
  return new S3Error(
    'SignatureDoesNotMatch',
    'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
    {
      details: {
        AWSAccessKeyId: accessKeyId,
        StringToSign: shown,
        SignatureProvided: signature,
        StringToSignBytes: Buffer.from(shown, 'utf8')
          .toString('hex')
          .replace(/..(?=.)/g, '$& '),
      },
    },
  )
}

/** Whether the policy names a secret: a condition can contain the very key that the form sends. */
const namesSecret = (policy: string): boolean =>
  /customer-key|security-token/i.test(Buffer.from(policy, 'base64').toString('latin1').replaceAll('\\u002d', '-'))

/** Reads and verifies a form up to its file: the signer, the policy and the request that it stands for. */

import { type Hashing, limits } from '@varve/core'
import type { Identity } from '../access/identity.ts'
import { chunkedRefusal } from '../body/declared-framing.ts'
import { decodeBody } from '../body/decode-body.ts'
import { S3Error } from '../errors/errors.ts'
import { withoutValues } from '../contract/redaction.ts'
import type { RequestBody } from '../contract/operation.ts'
import { checkUnsignedPayload } from '../sigv4/claim-checks.ts'
import { isSha256Hex } from '../sigv4/digests.ts'
import type { PayloadForm } from '../sigv4/payload-form.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import { formBoundary } from './boundary.ts'
import { checkConditions } from './conditions.ts'
import { createFormBody } from './form-body.ts'
import { formHeaders } from './form-headers.ts'
import { neededField, verifyForm, versionOf } from './form-signature.ts'
import type { FormFields, FormSigners } from './form-signature.ts'
import { createMultipartReader, fieldsBytesMax } from './multipart.ts'
import { parsePolicyDocument } from './policy-document.ts'
import { readForm } from './read-form.ts'
import type { Form } from './read-form.ts'

export interface FormOptions extends FormSigners<Identity> {
  /** The bucket that the form was sent to. */
  readonly bucket: string
  readonly headers: RequestHeaders
  readonly now: number
  readonly unsignedPayload: 'allow' | 'refuse'
  /** Compares the digests that the headers of the request have. Those of the fields are of the file. */
  readonly hashing: Pick<Hashing, 'create'>
  /** Reserves memory for the fields, whose signer is not known yet. @throws S3Error `SlowDown` */
  readonly holdDocument: (bytes: number) => void
}

export interface ReceivedForm {
  /** `undefined` for an unsigned form. */
  readonly identity: Identity | undefined
  /** `undefined` for an unsigned form. */
  readonly signatureVersion: 'AWS' | 'AWS4-HMAC-SHA256' | undefined
  /** The key, with the name of the file filled in. Not yet checked against the naming rules. */
  readonly key: string
  /** The headers that the fields stand for. */
  readonly headers: RequestHeaders
  readonly body: RequestBody
  /** Discards the rest of the form. */
  close(): Promise<void>
}

/**
 * Reads a form up to its file and checks its fields against its policy.
 * @throws S3Error as `formBoundary`, `readForm`, `verifyForm`, `parsePolicyDocument`, `checkConditions`, `formHeaders`
 * and `createFormBody` do.
 */
export async function receiveForm(source: AsyncIterable<Uint8Array>, options: FormOptions): Promise<ReceivedForm> {
  const { headers: sent, bucket, now, unsignedPayload, holdDocument, hashing } = options
  const boundary = formBoundary(sent)
  const { bytes, length } = decodeBody(source, {
    headers: sent,
    payload: payloadOf(sent),
    digests: hashing,
    bytesMax: limits.uploadSizeMax + aroundFileMax,
    lengthRequired: true,
  })
  const reader = createMultipartReader(bytes, boundary, holdDocument)
  const close = () => reader.close()
  let fields: FormFields = new Map()
  try {
    const form = await readForm(reader)
    fields = form.fields
    const key = keyOf(form)
    const identity = verifyForm(fields, options)
    if (unsignedPayload === 'refuse') checkUnsignedPayload('POST', { kind: 'unsigned' })
    // An unsigned policy restricts nothing: the sender could have left it out.
    const range =
      identity === undefined ? anyLength : checkConditions(policyOf(fields), comesTo(fields, bucket, key), now)
    const headers = formHeaders(fields, sent)
    const refusal = chunkedRefusal(headers, 'A form')
    if (refusal !== undefined) throw refusal
    const expected = length === undefined ? undefined : length - reader.position - closingLength(boundary)
    const signatureVersion = identity && versionOf(fields)
    return {
      identity,
      signatureVersion,
      key,
      headers,
      body: createFormBody(reader, { headers, range, expected }),
      close,
    }
  } catch (error) {
    await close()
    throw withoutValues(error, fields)
  }
}

/** A form is signed by its fields. A digest in its headers is still one of the whole body. */
function payloadOf(headers: RequestHeaders): PayloadForm {
  const sent = headers.single('x-amz-content-sha256') ?? ''
  return isSha256Hex(sent) ? { kind: 'signed', sha256: sent.toLowerCase() } : { kind: 'unsigned' }
}

/** The most bytes of the fields before the file and of the unused fields after it. */
const aroundFileMax = 2 * fieldsBytesMax
const anyLength = { min: 0, max: Number.POSITIVE_INFINITY }

/**
 * The length of `\r
 * --boundary--\r
 * `.
 */
const closingLength = (boundary: string): number => boundary.length + 8

const policyOf = (fields: FormFields) => parsePolicyDocument(neededField(fields, 'policy'))

function keyOf({ fields, fileName }: Form): string {
  const key = neededField(fields, 'key')
  if (key === '') {
    throw new S3Error('InvalidArgument', 'User key must have a length greater than 0.', {
      details: { ArgumentName: 'key', ArgumentValue: '' },
    })
  }
  return fileName === undefined ? key : key.replaceAll('${filename}', () => fileName)
}

/** The values for conditions. The bucket is that of the URL, not that of a field. */
function comesTo(fields: FormFields, bucket: string, key: string): FormFields {
  return new Map([...fields, ['bucket', bucket], ['key', key]])
}

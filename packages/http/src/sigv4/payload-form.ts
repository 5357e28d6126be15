/** The form of the body that `x-amz-content-sha256` declares. It decides how the body is read. */

import { S3Error } from '../errors/errors.ts'
import { emptySha256, isSha256Hex } from './digests.ts'

export type PayloadForm =
  /** The body's SHA-256, lower-case hex, is part of the signature. */
  | { readonly kind: 'signed'; readonly sha256: string }
  /** The signature does not cover the body. */
  | { readonly kind: 'unsigned' }
  /** aws-chunked; each chunk signature covers the one before. */
  | { readonly kind: 'streaming-signed' }
  /** aws-chunked with signed chunks, and signed trailers after the last chunk. */
  | { readonly kind: 'streaming-signed-trailer' }
  /** aws-chunked without signatures, with trailers. */
  | { readonly kind: 'streaming-unsigned-trailer' }

const words: ReadonlyMap<string, PayloadForm> = new Map<string, PayloadForm>([
  ['UNSIGNED-PAYLOAD', { kind: 'unsigned' }],
  ['STREAMING-AWS4-HMAC-SHA256-PAYLOAD', { kind: 'streaming-signed' }],
  ['STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER', { kind: 'streaming-signed-trailer' }],
  ['STREAMING-UNSIGNED-PAYLOAD-TRAILER', { kind: 'streaming-unsigned-trailer' }],
])

/** What nearly all requests without a body declare. */
const noBytes: PayloadForm = { kind: 'signed', sha256: emptySha256 }

/** @throws S3Error `InvalidArgument` for an unknown word; `NotImplemented` for chunks signed by elliptic curve. */
export function parsePayloadForm(value: string): PayloadForm {
  if (value === emptySha256) return noBytes
  const form = words.get(value)
  if (form !== undefined) return form
  if (isSha256Hex(value)) return { kind: 'signed', sha256: value.toLowerCase() }
  if (value.startsWith('STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD')) {
    throw new S3Error('NotImplemented', 'SigV4A signatures are not implemented. Please use AWS4-HMAC-SHA256.')
  }
  throw new S3Error(
    'InvalidArgument',
    `x-amz-content-sha256 must be ${[...words.keys()].join(', ')} or a valid sha256 value.`,
    { details: { ArgumentName: 'x-amz-content-sha256', ArgumentValue: value } },
  )
}

/** True for bodies in aws-chunked framing. */
export function isStreaming(form: PayloadForm): boolean {
  return form.kind.startsWith('streaming-')
}

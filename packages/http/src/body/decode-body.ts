/**
 * Decodes the bytes on the wire to the bytes of the object. Errors in the headers are refused at once, before a byte is
 * read (and before `100 Continue`). All other errors fail the iteration, at its end at the latest.
 *
 * Invariant: the store commits nothing until the iteration has *ended*. Receiving `length` bytes is not enough:
 * signatures, digests and trailers follow the last of them.
 */

import type { Hashing, InOnePiece } from '@varve/core'
import { createChunkChain } from '../sigv4/chunk-chain.ts'
import type { SignatureSeed } from '../sigv4/verification.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import { bodyLength } from './body-length.ts'
import { announcedTrailers, checkChecksum, checkTrailerValue, parseChecksum } from './checksums.ts'
import type { DeclaredChecksum } from './checksums.ts'
import { checkContentMd5, parseContentMd5 } from './content-md5.ts'
import { assertNotAwsChunked } from './declared-framing.ts'
import { decodeAwsChunked } from './decode-aws-chunked.ts'
import { isStreaming } from '../sigv4/payload-form.ts'
import type { PayloadForm } from '../sigv4/payload-form.ts'
import { readPlainBody } from './read-plain-body.ts'
import { checkTrailerNames } from './trailers.ts'
import type { Trailers } from './trailers.ts'

export interface DecodeBodyOptions {
  readonly headers: RequestHeaders
  /** From the verified request; `{ kind: 'unsigned' }` for an anonymous one. */
  readonly payload: PayloadForm
  /** From the verified request; needed for signed chunks. */
  readonly seed?: SignatureSeed
  /** The most decoded bytes of a body. */
  readonly bytesMax: number
  /** Answer `MissingContentLength` to a request without a length. @default false: such a request has no body */
  readonly lengthRequired?: boolean
  /** What computes the digests that are compared here. `leave`: the consumer compares all of them. */
  readonly digests: Pick<Hashing, 'create'> | 'leave'
  /** The request completes an upload: its checksum may be `value-N`, and is not that of this body. @default false */
  readonly compositeChecksum?: boolean
  /** Accept aws-chunked bodies with chunks before the last that are smaller than S3 accepts. @default true */
  readonly smallChunks?: boolean
}

export interface DecodedBody {
  /** `undefined` for a plain body in HTTP chunks. */
  readonly length: number | undefined
  /** Can be iterated once. The chunks are views on those of the source: consume each before requesting the next. */
  readonly bytes: AsyncIterable<Uint8Array> & InOnePiece
  /** Filled when the iteration ends; names lower case, spelled `x-amz-…`. */
  readonly trailers: ReadonlyMap<string, string>
  /** Compared here unless the digests are left to the consumer. */
  readonly checksum: DeclaredChecksum | undefined
  /** `Content-MD5`, well-formed. */
  readonly contentMd5: string | undefined
  /** SHA-256 in lower-case hex that the signature covers, for a body without aws-chunked framing. */
  readonly sha256: string | undefined
}

/**
 * @param source The request's body. It is closed when decoding fails. So with a Node request pass `request.iterator({
 * destroyOnReturn: false })`; otherwise closing destroys the socket, and the answer cannot be sent.
 * @throws S3Error at once: see `bodyLength`, `parseContentMd5` and `parseChecksum`; while iterating: see
 * `readPlainBody`, `decodeAwsChunked` and `checkContentMd5`.
 */
export function decodeBody(source: AsyncIterable<Uint8Array>, options: DecodeBodyOptions): DecodedBody {
  const { headers, payload, bytesMax } = options
  const length = bodyLength(headers, { payload, bytesMax, required: options.lengthRequired === true })
  if (!isStreaming(payload)) assertNotAwsChunked(headers, length)
  const contentMd5 = parseContentMd5(headers)
  const sha256 = payload.kind === 'signed' ? payload.sha256 : undefined
  const hashing = options.digests === 'leave' ? undefined : options.digests
  const trailers = new Map<string, string>()
  const hasTrailers = payload.kind.endsWith('-trailer')
  const checksum = parseChecksum(headers, {
    ...(hasTrailers && { trailers }),
    composite: options.compositeChecksum === true,
  })
  const raw = isStreaming(payload)
    ? decodeAwsChunked(source, {
        length: length ?? 0,
        chain: chainOf(options),
        hasTrailers,
        smallChunks: options.smallChunks !== false,
        checkNames: announcedOnly(headers),
        onTrailers: trailersInto(trailers),
      })
    : readPlainBody(source, { length, bytesMax, sha256: hashing && sha256 })
  const compared = { contentMd5, checksum: options.compositeChecksum === true ? undefined : checksum }
  const bytes = hashing === undefined ? raw : comparing(raw, compared, hashing)
  return { length, bytes, trailers, checksum, contentMd5, sha256 }
}

function comparing(
  raw: DecodedBody['bytes'],
  { contentMd5, checksum }: Pick<DecodedBody, 'contentMd5' | 'checksum'>,
  hashing: Pick<Hashing, 'create'>,
): DecodedBody['bytes'] {
  const whole = contentMd5 === undefined ? raw : checkContentMd5(raw, contentMd5)
  return checksum === undefined ? whole : checkChecksum(whole, checksum, hashing)
}

function chainOf({ payload, seed }: DecodeBodyOptions) {
  if (!payload.kind.startsWith('streaming-signed')) return undefined
  if (seed === undefined) throw new TypeError('Signed chunks need the seed of the signature of their request.')
  return createChunkChain(seed)
}

/** Accepts the announced trailers. A trailer whose value is in a header may be absent. */
function announcedOnly(headers: RequestHeaders): (values: Trailers['values']) => void {
  const announced = announcedTrailers(headers)
  return (values) => checkTrailerNames(values, announced, (name) => headers.has(name))
}

function trailersInto(target: Map<string, string>): (trailers: Trailers) => void {
  return ({ values }) => {
    for (const [name, value] of values) {
      checkTrailerValue(name, value)
      target.set(name, value)
    }
  }
}

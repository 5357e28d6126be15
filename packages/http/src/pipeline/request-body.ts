/** The request body for operations. The code in `body/` decodes and verifies it. */

import { limits, onePieceMax } from '@varve/core'
import type { ByteChecks, Hashing } from '@varve/core'
import { decodeBody } from '../body/decode-body.ts'
import type { PayloadForm } from '../sigv4/payload-form.ts'
import { readSmallBody } from '../body/read-small-body.ts'
import { bodyBytes, type Holding } from '../budgets/request-budget.ts'
import { S3Error } from '../errors/errors.ts'
import type { BodyKind, RequestBody } from '../contract/operation.ts'
import type { SignatureSeed } from '../sigv4/verification.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import { stepsOfDocument } from '../turns/steps-of-bytes.ts'
import { turn } from '../turns/turn.ts'

export interface RequestBodyOptions {
  readonly kind: BodyKind
  readonly headers: RequestHeaders
  readonly payload: PayloadForm
  /** Required for signed chunks. */
  readonly seed?: SignatureSeed
  /** Accept small chunks before the last one; the dialect decides this. @default true */
  readonly smallChunks?: boolean
  /** Compares the digests of documents. The store compares those of objects. */
  readonly hashing: Hashing
  /** Reserves memory: for a whole body as its bytes arrive, and for a body that is streamed. */
  readonly budget: Pick<Holding, 'holdDocument' | 'holdBody' | 'turnsOf'>
}

/**
 * @param source Nothing is read from it before the body is read.
 * @throws S3Error for invalid headers: see `decodeBody`.
 */
export function createRequestBody(source: AsyncIterable<Uint8Array>, options: RequestBodyOptions): RequestBody {
  const { kind, hashing, budget, ...request } = options
  const { length, bytes, checksum, contentMd5, sha256 } = decodeBody(source, {
    bytesMax: limits.uploadSizeMax,
    lengthRequired: kind === 'bytes',
    digests: kind === 'bytes' ? 'leave' : hashing,
    compositeChecksum: kind === 'completion',
    ...request,
  })
  const checks: { -readonly [K in keyof ByteChecks]: ByteChecks[K] } = {}
  if (kind === 'bytes' && length !== undefined) checks.size = length
  if (checksum !== undefined) checks.checksum = checksum
  if (contentMd5 !== undefined) checks.contentMD5 = contentMd5
  if (kind === 'bytes' && sha256 !== undefined) checks.sha256 = sha256
  let taken = false
  const take = () => {
    if (taken) throw new TypeError('The body of a request can be read once.')
    taken = true
    return bytes
  }
  return {
    length,
    isLong: length === undefined || length > onePieceMax,
    checks: () => checks,
    stream() {
      holdPassing(length, budget)
      return take()
    },
    async small(bytesMax) {
      if (length !== undefined && length > bytesMax) throw tooLong(bytesMax)
      const whole = await readSmallBody(take(), bytesMax, budget)
      if (turn.isOver) await turn.next(budget.turnsOf)
      turn.spend(stepsOfDocument(whole.length))
      return whole
    },
  }
}

/** A shorter body costs no more memory than its connection. */
const passingMin = 16 * 1024

/**
 * Reserves memory for a body that is streamed.
 * @throws S3Error `SlowDown`
 */
export function holdPassing(length: number | undefined, budget: Pick<Holding, 'holdBody'>): void {
  if (length === undefined || length > passingMin) budget.holdBody(bodyBytes)
}

/** For operations without a body. */
export const noBody: RequestBody = {
  length: 0,
  isLong: false,
  checks: () => ({}),
  async *stream() {},
  small: async () => new Uint8Array(),
}

function tooLong(bytesMax: number): S3Error {
  return new S3Error('MaxMessageLengthExceeded', 'Your request was too big.', {
    details: { MaxMessageLengthBytes: String(bytesMax) },
  })
}

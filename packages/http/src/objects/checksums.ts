/** Checksums in answers, and the algorithm that a request chooses for a new upload or copy. */

import { allowsChecksumType, checksumAlgorithms, defaultChecksumType } from '@varve/core'
import type { Checksum, ChecksumAlgorithm, ChecksumType } from '@varve/core'
import { S3Error } from '../errors/errors.ts'
import type { AnswerHeaders } from '../contract/answer.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import { element } from '../xml/write.ts'
import type { Xml } from '../xml/write.ts'

export const checksumTypeHeader = 'x-amz-checksum-type'

/** Only the header with the value, for answers about parts. */
export function partChecksumHeaders(checksum: Checksum | undefined): Record<string, string> {
  const headers: Record<string, string> = {}
  // Assigned, because a literal with a computed name is made by the runtime.
  if (checksum !== undefined) headers[`x-amz-checksum-${checksum.algorithm.toLowerCase()}`] = checksum.value
  return headers
}

export function checksumHeaders(checksum: Checksum | undefined): AnswerHeaders {
  const headers = partChecksumHeaders(checksum)
  if (checksum !== undefined) headers[checksumTypeHeader] = checksum.type
  return headers
}

/** Only the element with the value, for listings of parts. */
export function partChecksumElements(checksum: Checksum | undefined): readonly Xml[] {
  return checksum === undefined ? [] : [element(`Checksum${checksum.algorithm}`, checksum.value)]
}

export function checksumElements(checksum: Checksum | undefined): readonly Xml[] {
  return checksum === undefined ? [] : [...partChecksumElements(checksum), element('ChecksumType', checksum.type)]
}

/** Reads `x-amz-checksum-algorithm`. @throws S3Error `InvalidRequest` for an algorithm that S3 does not have. */
export function checksumAlgorithm(headers: RequestHeaders): ChecksumAlgorithm | undefined {
  const named = headers.single('x-amz-checksum-algorithm')
  if (named === undefined) return undefined
  const algorithm = checksumAlgorithms.find((known) => known === named.toUpperCase())
  if (algorithm === undefined) throw unsupportedAlgorithm()
  return algorithm
}

function unsupportedAlgorithm(): S3Error {
  return new S3Error(
    'InvalidRequest',
    `Checksum algorithm provided is unsupported. Please try again with any of the valid types: [${checksumAlgorithms.join(', ')}]`,
  )
}

/** Reads `x-amz-checksum-mode`. @throws S3Error `InvalidRequest` for another word than `ENABLED`. */
export function wantsChecksums(headers: RequestHeaders): boolean {
  const mode = headers.single('x-amz-checksum-mode')
  if (mode === undefined || mode === '') return false
  if (mode.toUpperCase() === 'ENABLED') return true
  throw new S3Error('InvalidRequest', 'Value for x-amz-checksum-mode header is invalid.')
}

/** Reads `x-amz-checksum-type`. @throws S3Error `InvalidRequest` for another word. */
export function checksumType(headers: RequestHeaders): ChecksumType | undefined {
  const named = headers.single(checksumTypeHeader)?.toUpperCase()
  if (named === undefined || named === 'COMPOSITE' || named === 'FULL_OBJECT') return named
  throw new S3Error('InvalidRequest', 'Value for x-amz-checksum-type header is invalid.')
}

/**
 * The checksum options of a new upload. CRCs of parts can be combined, digests cannot, and CRC64NVME always covers the
 * whole.
 * @throws S3Error `InvalidRequest` for a type without an algorithm, or a type that the algorithm cannot have.
 */
export function uploadChecksum(headers: RequestHeaders): {
  readonly checksumAlgorithm?: ChecksumAlgorithm
  readonly checksumType?: ChecksumType
} {
  const algorithm = checksumAlgorithm(headers)
  const type = checksumType(headers)
  if (algorithm === undefined) {
    if (type === undefined) return {}
    throw new S3Error(
      'InvalidRequest',
      'The x-amz-checksum-type header can only be used with the x-amz-checksum-algorithm header.',
    )
  }
  if (type === undefined) {
    return { checksumAlgorithm: algorithm, checksumType: defaultChecksumType(algorithm) }
  }
  if (!allowsChecksumType(algorithm, type)) {
    throw new S3Error(
      'InvalidRequest',
      `The ${type} checksum type cannot be used with the ${algorithm.toLowerCase()} checksum algorithm.`,
    )
  }
  return { checksumAlgorithm: algorithm, checksumType: type }
}

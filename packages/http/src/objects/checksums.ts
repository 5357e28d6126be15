/** Checksums as answers show them, and the algorithm a new upload or copy is asked to have. */

import type { Checksum, ChecksumAlgorithm, ChecksumType } from '@varve/core'
import { S3Error } from '../errors.ts'
import type { AnswerHeaders } from '../operations/answer.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import { element } from '../xml/write.ts'
import type { Xml } from '../xml/write.ts'

const algorithms = ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const satisfies readonly ChecksumAlgorithm[]

/** S3 has these too: what asks for one is right, and told so, not that there is no such thing. */
const unbuiltAlgorithms: ReadonlySet<string> = new Set(['MD5', 'SHA512', 'XXHASH3', 'XXHASH64', 'XXHASH128'])

/** The value's header alone: what parts are answered with. */
export function partChecksumHeaders(checksum: Checksum | undefined): AnswerHeaders {
  return checksum === undefined ? {} : { [`x-amz-checksum-${checksum.algorithm.toLowerCase()}`]: checksum.value }
}

export function checksumHeaders(checksum: Checksum | undefined): AnswerHeaders {
  return checksum === undefined ? {} : { ...partChecksumHeaders(checksum), 'x-amz-checksum-type': checksum.type }
}

/** The value's element alone: what parts are listed with. */
export function partChecksumElements(checksum: Checksum | undefined): readonly Xml[] {
  return checksum === undefined ? [] : [element(`Checksum${checksum.algorithm}`, checksum.value)]
}

export function checksumElements(checksum: Checksum | undefined): readonly Xml[] {
  return checksum === undefined ? [] : [...partChecksumElements(checksum), element('ChecksumType', checksum.type)]
}

/** `x-amz-checksum-algorithm`. @throws S3Error `NotImplemented` for one only S3 has, `InvalidRequest` for one it has not. */
export function checksumAlgorithm(headers: RequestHeaders): ChecksumAlgorithm | undefined {
  const named = headers.single('x-amz-checksum-algorithm')
  if (named === undefined) return undefined
  const algorithm = algorithms.find((known) => known === named.toUpperCase())
  if (algorithm !== undefined) return algorithm
  if (unbuiltAlgorithms.has(named.toUpperCase())) {
    throw new S3Error('NotImplemented', 'This checksum algorithm is not implemented.')
  }
  throw new S3Error(
    'InvalidRequest',
    `Checksum algorithm provided is unsupported. Please try again with any of the valid types: [${algorithms.join(', ')}]`,
  )
}

/** `x-amz-checksum-type`. @throws S3Error `InvalidRequest` for another word. */
export function checksumType(headers: RequestHeaders): ChecksumType | undefined {
  const named = headers.single('x-amz-checksum-type')?.toUpperCase()
  if (named === undefined || named === 'COMPOSITE' || named === 'FULL_OBJECT') return named
  throw new S3Error('InvalidRequest', 'Value for x-amz-checksum-type header is invalid.')
}

/**
 * How the whole of a new upload is to be checked: CRCs of parts can be joined, digests cannot, and CRC64NVME always is.
 * @throws S3Error `InvalidRequest` for a type without an algorithm, or one the algorithm cannot have.
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
    return { checksumAlgorithm: algorithm, checksumType: algorithm === 'CRC64NVME' ? 'FULL_OBJECT' : 'COMPOSITE' }
  }
  if (type === 'FULL_OBJECT' ? algorithm.startsWith('SHA') : algorithm === 'CRC64NVME') {
    throw new S3Error(
      'InvalidRequest',
      `The ${type} checksum type cannot be used with the ${algorithm.toLowerCase()} checksum algorithm.`,
    )
  }
  return { checksumAlgorithm: algorithm, checksumType: type }
}

/** S3's additional checksums as a request declares them: in a header, or in a trailer that follows the body. */

import { checksumAlgorithms, checksumTable } from '@varve/core'
import type { ChecksumAlgorithm, Hashing } from '@varve/core'
import { S3Error } from '../errors/errors.ts'
import type { RequestHeaders } from '../target/request-headers.ts'

export interface DeclaredChecksum {
  readonly algorithm: ChecksumAlgorithm
  /**
   * The digest as well-formed base64. It is a function when a trailer will contain it: the function returns the value
   * once the body was read to its end, and `undefined` before. In completions the value may end in `-N`.
   */
  readonly expected: string | (() => string | undefined)
}

const algorithms = new Map(checksumAlgorithms.map((algorithm) => [algorithm.toLowerCase(), algorithm]))

export interface ChecksumOptions {
  /** Trailers of the body, filled while it is read. @default none */
  readonly trailers?: ReadonlyMap<string, string>
  /** Allow `value-N`, the checksum of N checksums of parts. @default false */
  readonly composite?: boolean
}

/**
 * The checksum that a request declares for its body. A value in a header wins over the announcement of a trailer.
 * @throws S3Error `InvalidRequest` for an invalid value, two checksums, or an algorithm named without its value;
 * `BadDigest` for a value that was cut short; `NotImplemented` for an algorithm that this store does not have;
 * `MalformedTrailerError` for a trailer that cannot come
 */
export function parseChecksum(headers: RequestHeaders, options: ChecksumOptions = {}): DeclaredChecksum | undefined {
  const inHeader = checksumHeaders(headers)
  const announced = announcedTrailers(headers).map((name) => algorithmOf(name.slice(prefix.length)))
  // Most bodies have none.
  const declared = inHeader.size + announced.length === 0 ? [] : new Set([...inHeader.keys(), ...announced])
  const [algorithm, ...others] = declared
  if (others.length > 0) throw twoChecksums()
  const named = headers.get('x-amz-sdk-checksum-algorithm')
  if (named !== undefined) checkNamed(named, algorithm)
  if (algorithm === undefined) return undefined

  const value = inHeader.get(algorithm)
  if (value !== undefined) {
    checkValue(algorithm, value, { where: 'header', composite: options.composite === true })
    return { algorithm, expected: value }
  }
  const { trailers } = options
  if (trailers === undefined) {
    throw new S3Error('MalformedTrailerError', 'x-amz-trailer was sent, but the body has no trailers.')
  }
  return { algorithm, expected: () => trailers.get(prefix + algorithm.toLowerCase()) }
}

/**
 * Names of the required trailers, in lower case, spelled `x-amz-…`. At most one.
 * @throws S3Error `InvalidRequest` for a trailer that is not a checksum, or two of them.
 */
export function announcedTrailers(headers: RequestHeaders): readonly string[] {
  const announced = headers.get('x-amz-trailer')
  if (announced === undefined) return []
  const names = announced.split(',').map((name) =>
    name
      .trim()
      .toLowerCase()
      .replace(/^x-svc-/, 'x-amz-'),
  )
  if (!names.every((name) => name.startsWith(prefix))) {
    throw new S3Error('InvalidRequest', 'The value specified in the x-amz-trailer header is not supported')
  }
  if (names.length > 1) throw twoChecksums()
  return names
}

/** @throws S3Error `InvalidRequest` when a trailer's value is not a digest of its algorithm. */
export function checkTrailerValue(name: string, value: string): void {
  checkValue(algorithmOf(name.slice(prefix.length)), value, { where: 'trailing header', composite: false })
}

/**
 * Checks a body that is already in memory.
 * @throws S3Error `BadDigest` when the bytes do not match the declared checksum.
 */
export function checkBytesAgainst(declared: DeclaredChecksum, bytes: Uint8Array, hashing: Hashing): void {
  const digest = hashing.create(declared.algorithm)
  digest.update(bytes)
  compare(declared, digest.finish())
}

function compare({ algorithm, expected }: DeclaredChecksum, digest: Uint8Array): void {
  const value = Buffer.from(digest).toString('base64')
  if (value !== (typeof expected === 'function' ? expected() : expected)) throw badDigest(algorithm)
}

/** Passes the bytes on and fails at the end if they do not match. @throws S3Error `BadDigest` */
export async function* checkChecksum(
  source: AsyncIterable<Uint8Array>,
  declared: DeclaredChecksum,
  hashing: Pick<Hashing, 'create'>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const digest = hashing.create(declared.algorithm)
  for await (const piece of source) {
    digest.update(piece)
    yield piece
  }
  compare(declared, digest.finish())
}

const prefix = 'x-amz-checksum-'
/** Headers about checksums that contain no checksum. */
const notValues: ReadonlySet<string> = new Set(['algorithm', 'mode', 'type'])

/** The checksums that headers contain, by their algorithms. @throws S3Error `NotImplemented` */
export function checksumHeaders(headers: RequestHeaders): ReadonlyMap<ChecksumAlgorithm, string> {
  const found = new Map<ChecksumAlgorithm, string>()
  for (const [name, value] of headers.withPrefix(prefix)) {
    if (!notValues.has(name)) found.set(algorithmOf(name), value)
  }
  return found
}

function algorithmOf(name: string): ChecksumAlgorithm {
  const algorithm = algorithms.get(name)
  if (algorithm !== undefined) return algorithm
  throw new S3Error('NotImplemented', 'This checksum algorithm is not implemented.', {
    details: { Header: prefix + name },
  })
}

function checkNamed(named: string, algorithm: ChecksumAlgorithm | undefined): void {
  if (!algorithms.has(named.toLowerCase())) {
    throw new S3Error(
      'InvalidRequest',
      `Checksum algorithm provided is unsupported. Please try again with any of the valid types: [${checksumAlgorithms.join(', ')}]`,
    )
  }
  if (algorithm === undefined) {
    throw new S3Error(
      'InvalidRequest',
      'x-amz-sdk-checksum-algorithm specified, but no corresponding x-amz-checksum-* or x-amz-trailer headers were found.',
    )
  }
  if (algorithm !== named.toUpperCase()) {
    throw new S3Error('InvalidRequest', 'Value for x-amz-sdk-checksum-algorithm header is invalid.')
  }
}

function checkValue(
  algorithm: ChecksumAlgorithm,
  value: string,
  { where, composite }: { readonly where: 'header' | 'trailing header'; readonly composite: boolean },
): void {
  const base64 = composite ? value.replace(/-[1-9]\d{0,4}$/, '') : value
  const bytes = Buffer.from(base64, 'base64')
  const length = checksumTable[algorithm].bytes
  if (bytes.length === length && bytes.toString('base64') === base64) return
  // A value that was cut short is the beginning of a checksum, so it is a wrong digest, not an invalid one.
  if (where === 'header' && isCutShort(base64, length)) throw badDigest(algorithm)
  throw new S3Error('InvalidRequest', `Value for ${prefix}${algorithm.toLowerCase()} ${where} is invalid.`)
}

function isCutShort(base64: string, bytes: number): boolean {
  return base64.length % 4 !== 0 && base64.length < Math.ceil(bytes / 3) * 4 && /^[A-Za-z0-9+/]+$/.test(base64)
}

function badDigest(algorithm: ChecksumAlgorithm): S3Error {
  return new S3Error('BadDigest', `The ${algorithm} you specified did not match the calculated checksum.`)
}

function twoChecksums(): S3Error {
  return new S3Error(
    'InvalidRequest',
    'Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.',
  )
}

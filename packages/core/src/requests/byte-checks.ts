/** Compares the digests that a write expects with those of the bytes. */
import { fromBase64, toBase64 } from '../bytes/base64.ts'
import { toHex } from '../bytes/hex.ts'
import { checksumTable } from '../base/checksums.ts'
import type { WrittenContent } from '../content/content-writer.ts'
import { StorageError } from '../base/errors.ts'
import type { Checksum } from '../events/index.ts'
import type { ChecksumAlgorithm, DigestAlgorithm } from '../ports/index.ts'
import type { ByteChecks } from '../api/types/index.ts'

/** Every object has an MD5, which makes the ETag. Each digest is computed once, even if it is listed twice. */
export function digestsFor({ checksum, sha256 }: ByteChecks, another?: DigestAlgorithm): readonly DigestAlgorithm[] {
  const algorithms = new Set<DigestAlgorithm>(['MD5'])
  if (checksum !== undefined) algorithms.add(checksum.algorithm)
  if (sha256 !== undefined) algorithms.add('SHA256')
  if (another !== undefined) algorithms.add(another)
  return [...algorithms]
}

/**
 * The ETag and the checksum of the written bytes.
 * @throws StorageError `IncompleteBody`, `InvalidDigest`, `BadDigest`, `InvalidRequest` when the bytes do not match the expected digests.
 */
export function checkBytes(written: WrittenContent, checks: ByteChecks): { etag: string; checksum?: Checksum } {
  checkSize(written.size, checks.size)
  const digest = (algorithm: DigestAlgorithm) => written.digests.get(algorithm) as Uint8Array
  if (checks.sha256 !== undefined) checkSHA256(toHex(digest('SHA256')), checks.sha256.toLowerCase())
  const md5 = digest('MD5')
  checkMD5(md5, checks.contentMD5)
  const etag = toHex(md5)
  if (checks.checksum === undefined) return { etag }
  const { algorithm, expected } = checks.checksum
  const value = toBase64(digest(algorithm))
  checkChecksum(algorithm, value, typeof expected === 'function' ? textFrom(expected()) : expected)
  return { etag, checksum: { algorithm, type: 'FULL_OBJECT', value } }
}

function checkSize(size: number, expected: number | undefined): void {
  if (expected === undefined || size === expected) return
  throw new StorageError('IncompleteBody', `The body has ${size} bytes, and was to have ${expected}.`)
}

/** A function may return anything, such as a promise. Its rejection must be handled, or it would end the process. */
function textFrom(given: unknown): string | undefined {
  if (given === undefined || typeof given === 'string') return given
  void Promise.resolve(given).catch(() => undefined)
  throw new StorageError('InvalidArgument', 'checksum.expected must give text, or nothing.', {
    details: { ArgumentName: 'checksum.expected' },
  })
}

/** The signature covers the SHA-256, so its mismatch is reported first. */
function checkSHA256(sha256: string, expected: string): void {
  if (sha256 === expected) return
  if (!/^[0-9a-f]{64}$/.test(expected)) {
    throw new StorageError('InvalidDigest', 'The SHA-256 you specified was invalid.')
  }
  throw new StorageError('BadDigest', 'The SHA-256 you specified did not match what we received.', {
    details: { ExpectedSHA256: expected, CalculatedSHA256: sha256 },
  })
}

function checkMD5(md5: Uint8Array, expected: string | undefined): void {
  if (expected === undefined) return
  const expectedBytes = fromBase64(expected)
  if (expectedBytes?.length !== 16) {
    throw new StorageError('InvalidDigest', 'The Content-MD5 you specified was invalid.')
  }
  if (expected !== toBase64(md5)) {
    throw new StorageError('BadDigest', 'The Content-MD5 you specified did not match what we received.', {
      details: { ExpectedDigest: toHex(expectedBytes), CalculatedDigest: toBase64(md5) },
    })
  }
}

function checkChecksum(algorithm: ChecksumAlgorithm, value: string, expected: string | undefined): void {
  if (expected === undefined) return
  if (fromBase64(expected)?.length !== checksumTable[algorithm].bytes) {
    throw new StorageError('InvalidRequest', `Value for x-amz-checksum-${algorithm.toLowerCase()} header is invalid.`)
  }
  if (expected !== value) {
    throw new StorageError('BadDigest', `The ${algorithm} you specified did not match the calculated checksum.`)
  }
}

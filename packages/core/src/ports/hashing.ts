/** Digests. Core owns none: runtimes have them natively. */

/** The digests an object can carry. `MD5` makes ETags; the rest are S3's checksum algorithms. */
export type DigestAlgorithm = 'MD5' | ChecksumAlgorithm

export type ChecksumAlgorithm = 'CRC32' | 'CRC32C' | 'CRC64NVME' | 'SHA1' | 'SHA256'

export interface Digest {
  update(chunk: Uint8Array): void
  /** Big-endian digest bytes: 16 for MD5, 4, 4, 8, 20, 32 for the others. Call once. */
  finish(): Uint8Array
}

export interface Hashing {
  create(algorithm: DigestAlgorithm): Digest
  /** One shot, as base64url without padding; links the events of the log. */
  sha256(bytes: Uint8Array): string
  /** CRC-32 (IEEE), as an unsigned 32-bit number; `seed` continues an earlier one. Guards rows and blob chunks. */
  crc32(bytes: Uint8Array, seed?: number): number
}

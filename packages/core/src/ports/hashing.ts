/** Digests. Core implements none, because runtimes have them natively. */

import type { ChecksumAlgorithm } from '../base/checksums.ts'

export type { ChecksumAlgorithm } from '../base/checksums.ts'

/** The digests of objects: S3's checksum algorithms. `MD5` also makes ETags. */
export type DigestAlgorithm = ChecksumAlgorithm

/** A digest that is computed chunk by chunk. */
export interface Digest {
  update(chunk: Uint8Array): void
  /** Big-endian digest bytes; `checksumTable` has their number. Call it once. */
  finish(): Uint8Array
}

/** Digests that take long to compute, unlike CRCs and xxHashes. */
export type CryptographicAlgorithm = Exclude<DigestAlgorithm, `CRC${string}` | `XXHASH${string}`>

/** Digests of one stream, computed on another thread. The caller ends them with `finish` or `abandon`. */
export interface DigestsBeside {
  /**
   * Passes bytes on. `undefined`: they are passed on, and their buffer may be reused. A promise: this is so when it
   * resolves, and until then only `abandon` may be called. It rejects when the digests can no longer be computed.
   */
  update(chunk: Uint8Array): Promise<void> | undefined
  /** Big-endian digest bytes. Rejects as `update` does. */
  finish(): Promise<ReadonlyMap<CryptographicAlgorithm, Uint8Array>>
  /** Releases everything; pending promises reject. No effect after `finish`. */
  abandon(): void
}

/** A port: computes checksums and message authentication codes. */
export interface Hashing {
  create(algorithm: DigestAlgorithm): Digest
  /** As `create` for bytes that are there as a whole, if that can be done faster. */
  digest?(algorithm: CryptographicAlgorithm, bytes: Uint8Array): Uint8Array
  /** Digests of a long stream on another thread; `undefined` if none is free. Without this method, none ever is. */
  beside?(algorithms: readonly CryptographicAlgorithm[]): DigestsBeside | undefined
  /** Hashes all bytes at once; base64url without padding. It links the events of the log. */
  sha256(bytes: Uint8Array): string
  /** CRC-32 (IEEE), as an unsigned 32-bit number; `seed` continues an earlier one. Guards rows and blob chunks. */
  crc32(bytes: Uint8Array, seed?: number): number
}

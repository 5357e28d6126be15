/** Digests. Core owns none: runtimes have them natively. */

import type { ChecksumAlgorithm } from '../base/checksums.ts'

export type { ChecksumAlgorithm } from '../base/checksums.ts'

/** The digests an object can carry: S3's checksum algorithms. `MD5` makes ETags too. */
export type DigestAlgorithm = ChecksumAlgorithm

/** A digest that is computed chunk by chunk. */
export interface Digest {
  update(chunk: Uint8Array): void
  /** Big-endian digest bytes, as many as `checksumTable` has. Call once. */
  finish(): Uint8Array
}

/** Digests that take long: CRCs and xxHashes are soon made. */
export type CryptographicAlgorithm = Exclude<DigestAlgorithm, `CRC${string}` | `XXHASH${string}`>

/** Digests of one stream, made beside the thread that has the bytes. The opener ends them with `finish` or `abandon`. */
export interface DigestsBeside {
  /**
   * Takes bytes over. `undefined`: they are, and their buffer may be filled again. A promise: they are when it resolves, and
   * until then nothing but `abandon` may be called. It rejects when the digests can no longer be made.
   */
  update(chunk: Uint8Array): Promise<void> | undefined
  /** Big-endian digest bytes. Rejects as `update` does. */
  finish(): Promise<ReadonlyMap<CryptographicAlgorithm, Uint8Array>>
  /** Lets go of all it holds; what is waited for rejects. Nothing happens when they are finished. */
  abandon(): void
}

/** A port: computes checksums and message authentication codes. */
export interface Hashing {
  create(algorithm: DigestAlgorithm): Digest
  /** Digests of a long stream, off this thread; `undefined` while no thread is free for them. Without this method, none ever is. */
  beside?(algorithms: readonly CryptographicAlgorithm[]): DigestsBeside | undefined
  /** One shot, as base64url without padding; links the events of the log. */
  sha256(bytes: Uint8Array): string
  /** CRC-32 (IEEE), as an unsigned 32-bit number; `seed` continues an earlier one. Guards rows and blob chunks. */
  crc32(bytes: Uint8Array, seed?: number): number
}

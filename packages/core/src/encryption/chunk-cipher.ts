/**
 * Encrypts a content in chunks of 64 KiB. Each chunk is sealed separately, so it can be read alone. The nonce of a
 * chunk holds its number and whether it is the last, so chunks cannot be reordered or cut off at the end. Each content
 * has its own keys, so no nonce is used twice. With two keys, each chunk is sealed twice.
 */
import { StorageError } from '../base/errors.ts'
import type { BlobContent, BlobRef } from '../events/index.ts'
import type { ByteRange, Ciphers } from '../ports/index.ts'
import type { EncryptionMode } from '../settings/encryption.ts'
import { keyLength } from './wrapping.ts'

export const chunkBytes = 64 * 1024
/** What sealing with one key adds to a chunk, in bytes. */
export const tagLength = 16
const nonceLength = 12

export class ChunkCipher {
  /** How many bytes sealing adds to a chunk. */
  readonly overhead: number
  readonly #ciphers: Ciphers
  readonly #keys: readonly Uint8Array[]

  /** @param secret The bytes of one or more keys, concatenated. */
  constructor(ciphers: Ciphers, secret: Uint8Array) {
    this.#ciphers = ciphers
    this.#keys = Array.from({ length: secret.length / keyLength }, (_, i) =>
      secret.subarray(i * keyLength, (i + 1) * keyLength),
    )
    this.overhead = this.#keys.length * tagLength
  }

  seal(plain: Uint8Array, index: number, isLast: boolean): Uint8Array {
    const nonce = nonceOf(index, isLast)
    return this.#keys.reduce((bytes, key) => this.#ciphers.seal(key, nonce, bytes), plain)
  }

  /** `undefined` if this is not the sealed chunk of this position. */
  open(sealed: Uint8Array, index: number, isLast: boolean): Uint8Array | undefined {
    const nonce = nonceOf(index, isLast)
    return this.#keys.reduceRight<Uint8Array | undefined>(
      (bytes, key) => bytes && this.#ciphers.open(key, nonce, bytes),
      sealed,
    )
  }
}

/** The length of the concatenated keys: two keys if the mode seals twice. */
export const secretLength = (mode: EncryptionMode): number => (mode === 'aws:kms:dsse' ? 2 : 1) * keyLength

function nonceOf(index: number, isLast: boolean): Uint8Array {
  const nonce = new Uint8Array(nonceLength)
  new DataView(nonce.buffer).setUint32(nonceLength - 5, index)
  nonce[nonceLength - 1] = isLast ? 1 : 0
  return nonce
}

/** The plain size of a blob. @throws StorageError `BlobCorrupt` for a size that no sealed blob can have. */
export function plainSize({ blob, sealed }: BlobContent): number {
  if (sealed === undefined) return blob.size
  const size = plainLength(blob.size, (secretLength(sealed.mode) / keyLength) * tagLength)
  if (size === undefined) throw brokenSeal(blob)
  return size
}

/** How many plain bytes are in so many sealed ones. `undefined` for a number that sealing never gives. */
export function plainLength(sealed: number, overhead: number): number | undefined {
  const chunks = chunkCount(sealed, overhead)
  const size = sealed - chunks * overhead
  return chunks === 0 || size <= (chunks - 1) * chunkBytes ? undefined : size
}

const chunkCount = (sealed: number, overhead: number): number => Math.ceil(sealed / (chunkBytes + overhead))

/** The chunks that contain a range of the plain bytes. */
export interface SealedRange {
  /** The range of these chunks in the blob. */
  readonly stored: ByteRange
  /** The number of the first of these chunks, and of the last chunk of the content. */
  readonly first: number
  readonly last: number
  /** The wanted plain bytes, counted from the beginning of the first chunk. */
  readonly wanted: ByteRange
}

export function sealedRange({ size }: Pick<BlobRef, 'size'>, overhead: number, { start, end }: ByteRange): SealedRange {
  const stride = chunkBytes + overhead
  const first = Math.floor(start / chunkBytes)
  return {
    stored: { start: first * stride, end: Math.min(Math.ceil(end / chunkBytes) * stride, size) },
    first,
    last: chunkCount(size, overhead) - 1,
    wanted: { start: start - first * chunkBytes, end: end - first * chunkBytes },
  }
}

export const brokenSeal = (blob: Pick<BlobRef, 'id'>): StorageError =>
  new StorageError('BlobCorrupt', 'The bytes of this object are damaged (seal).', {
    details: { blob: blob.id, kind: 'seal' },
  })

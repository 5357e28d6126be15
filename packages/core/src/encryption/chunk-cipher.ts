/**
 * A content as chunks of 64 KiB, each sealed by itself, so that any of them can be read alone. The nonce of a chunk is its number
 * and whether it is the last: chunks cannot change places, and none can be cut off from the end. A content has its own
 * keys, so no nonce comes twice; with two keys, each chunk is sealed twice.
 */
import { StorageError } from '../base/errors.ts'
import type { BlobContent, BlobRef } from '../events/index.ts'
import type { ByteRange, Ciphers } from '../ports/index.ts'
import type { EncryptionMode } from '../settings/encryption.ts'
import { keyLength } from './wrapping.ts'

export const chunkBytes = 64 * 1024
const tagLength = 16
const nonceLength = 12

export class ChunkCipher {
  /** How many bytes longer a chunk is when it is sealed. */
  readonly overhead: number
  readonly #ciphers: Ciphers
  readonly #keys: readonly Uint8Array[]

  /** @param secret One key or more, one after another. */
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

  /** `undefined` when this is not the chunk that belongs there. */
  open(sealed: Uint8Array, index: number, isLast: boolean): Uint8Array | undefined {
    const nonce = nonceOf(index, isLast)
    return this.#keys.reduceRight<Uint8Array | undefined>(
      (bytes, key) => bytes && this.#ciphers.open(key, nonce, bytes),
      sealed,
    )
  }
}

/** One after another: what is to be sealed by two layers has two. */
export const secretLength = (mode: EncryptionMode): number => (mode === 'aws:kms:dsse' ? 2 : 1) * keyLength

function nonceOf(index: number, isLast: boolean): Uint8Array {
  const nonce = new Uint8Array(nonceLength)
  new DataView(nonce.buffer).setUint32(nonceLength - 5, index)
  nonce[nonceLength - 1] = isLast ? 1 : 0
  return nonce
}

/** How many bytes a blob gives. @throws StorageError `BlobCorrupt` for a size that no sealed blob has. */
export function plainSize({ blob, sealed }: BlobContent): number {
  if (sealed === undefined) return blob.size
  const overhead = (secretLength(sealed.mode) / keyLength) * tagLength
  const chunks = chunkCount(blob, overhead)
  const size = blob.size - chunks * overhead
  if (chunks === 0 || size <= (chunks - 1) * chunkBytes) throw brokenSeal(blob)
  return size
}

const chunkCount = (blob: BlobRef, overhead: number): number => Math.ceil(blob.size / (chunkBytes + overhead))

/** The chunks that a range of the plain bytes touches. */
export interface SealedRange {
  /** Where they are in the blob. */
  readonly stored: ByteRange
  /** Number of the first of them, and of the last of the content. */
  readonly first: number
  readonly last: number
  /** What is wanted of them, from the beginning of the first. */
  readonly wanted: ByteRange
}

export function sealedRange(blob: BlobRef, overhead: number, { start, end }: ByteRange): SealedRange {
  const stride = chunkBytes + overhead
  const first = Math.floor(start / chunkBytes)
  return {
    stored: { start: first * stride, end: Math.min(Math.ceil(end / chunkBytes) * stride, blob.size) },
    first,
    last: chunkCount(blob, overhead) - 1,
    wanted: { start: start - first * chunkBytes, end: end - first * chunkBytes },
  }
}

export const brokenSeal = (blob: BlobRef): StorageError =>
  new StorageError('BlobCorrupt', 'The bytes of this object are damaged (seal).', {
    details: { blob: blob.id, kind: 'seal' },
  })

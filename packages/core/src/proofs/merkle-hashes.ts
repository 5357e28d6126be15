/** The hashes of a Merkle tree: RFC 9162, section 2.1.1, with SHA-256. */
import { concatBytes } from '../bytes/bytes.ts'
import type { Hashing } from '../ports/index.ts'

/** The number of bytes of a hash. */
export const hashBytes = 32

const leafPrefix = Uint8Array.of(0x00)
const nodePrefix = Uint8Array.of(0x01)

export function sha256(hashing: Hashing, bytes: Uint8Array): Uint8Array {
  if (hashing.digest !== undefined) return hashing.digest('SHA256', bytes)
  const digest = hashing.create('SHA256')
  digest.update(bytes)
  return digest.finish()
}

export const leafHash = (hashing: Hashing, entry: Uint8Array): Uint8Array =>
  sha256(hashing, concatBytes([leafPrefix, entry]))

export const nodeHash = (hashing: Hashing, left: Uint8Array, right: Uint8Array): Uint8Array =>
  sha256(hashing, concatBytes([nodePrefix, left, right]))

/** The root of a tree without leaves. */
export const emptyRoot = (hashing: Hashing): Uint8Array => sha256(hashing, new Uint8Array())

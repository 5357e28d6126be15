/** HMAC with SHA-256 (RFC 2104), on top of the runtime's SHA-256. */
import type { Hashing } from '../ports/index.ts'

const blockBytes = 64

export type Mac = (message: Uint8Array) => Uint8Array

/** Computes the MACs of messages with one key: 32 bytes each. */
export function hmacSha256(hashing: Pick<Hashing, 'create'>, key: Uint8Array): Mac {
  const sha256 = (...parts: readonly Uint8Array[]): Uint8Array => {
    const digest = hashing.create('SHA256')
    for (const part of parts) digest.update(part)
    return digest.finish()
  }
  const block = new Uint8Array(blockBytes)
  block.set(key.length > blockBytes ? sha256(key) : key)
  const [inner, outer] = [block.map((byte) => byte ^ 0x36), block.map((byte) => byte ^ 0x5c)]
  return (message) => sha256(outer, sha256(inner, message))
}

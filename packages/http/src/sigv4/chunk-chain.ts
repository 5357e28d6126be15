/** The chain of chunk signatures. Each signature covers the one before: no chunk can be dropped, doubled or moved. */

import { emptySha256, hmacHex, sha256Hex } from './digests.ts'
import type { SignatureSeed } from './verification.ts'

export interface ChunkChain {
  /** The signature of the next chunk, given the hex SHA-256 of its bytes; the last chunk is empty. */
  chunk(sha256: string): string
  /**
   * The signature of the trailers, after the last chunk. `text`: one `name:value
   * ` per trailer, one byte per character.
   */
  trailers(text: string): string
}

/** @param seed The seed of the request that the chunks belong to. */
export function createChunkChain({ signingKey, scope, amzDate, seedSignature }: SignatureSeed): ChunkChain {
  let previous = seedSignature
  const sign = (lines: readonly string[]): string => {
    previous = hmacHex(signingKey, lines.join('\n'))
    return previous
  }
  return {
    chunk: (sha256) => sign(['AWS4-HMAC-SHA256-PAYLOAD', amzDate, scope, previous, emptySha256, sha256]),
    trailers: (text) => sign(['AWS4-HMAC-SHA256-TRAILER', amzDate, scope, previous, sha256Hex(text)]),
  }
}

/** The client's side of aws-chunked. `decodeAwsChunked` and S3 accept its output. */

import { createChunkChain } from '../sigv4/chunk-chain.ts'
import { emptySha256, sha256Hex } from '../sigv4/digests.ts'
import type { SignatureSeed } from '../sigv4/verification.ts'

export interface EncodeOptions {
  /** Sign every chunk; the seed comes from `signRequest`. */
  readonly seed?: SignatureSeed
  /** Bytes of data in a chunk. @default 65_536, minimum 1; S3 requires 8192 or more */
  readonly chunkBytes?: number
  /** Called after the last byte. The trailers are sent, and signed if the chunks are. */
  readonly trailers?: () => readonly (readonly [name: string, value: string])[]
}

/** Frames a body. Data is regrouped into chunks of exactly `chunkBytes`, except for the last one. */
export async function* encodeAwsChunked(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { seed, chunkBytes = 65_536, trailers }: EncodeOptions = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  const chain = seed && createChunkChain(seed)
  const head = (size: number, sha256: () => string) =>
    Buffer.from(size.toString(16) + (chain ? `;chunk-signature=${chain.chunk(sha256())}` : '') + '\r\n', 'latin1')
  const frame = (data: Buffer) => Buffer.concat([head(data.length, () => sha256Hex(data)), data, lineEnd])

  let held: Buffer = Buffer.alloc(0)
  for await (const piece of source) {
    held = Buffer.concat([held, piece])
    while (held.length >= chunkBytes) {
      yield frame(held.subarray(0, chunkBytes))
      held = held.subarray(chunkBytes)
    }
  }
  if (held.length > 0) yield frame(held)
  yield head(0, () => emptySha256)
  if (trailers !== undefined) {
    const lines = trailers().map(([name, value]) => `${name.toLowerCase()}:${value}`)
    const signature = chain && `x-amz-trailer-signature:${chain.trailers(lines.map((line) => `${line}\n`).join(''))}`
    for (const line of signature === undefined ? lines : [...lines, signature])
      yield Buffer.from(`${line}\r\n`, 'latin1')
  }
  yield lineEnd
}

const lineEnd = Buffer.from('\r\n')

/** The shapes bytes can come in. */
import { StorageError } from '../errors.ts'
import type { ByteSource } from '../ports/index.ts'
import { concatBytes } from '../bytes/bytes.ts'
import { encodeUtf8 } from '../bytes/utf8.ts'

/** Text is taken as UTF-8. Node streams and web streams are async iterables of bytes. */
export type Body =
  | string
  | Uint8Array
  | ArrayBuffer
  | AsyncIterable<Uint8Array | string>
  | Iterable<Uint8Array | string>

export async function* byteSource(body: Body): ByteSource {
  if (typeof body === 'string') yield encodeUtf8(body)
  else if (body instanceof Uint8Array) yield body
  else if (body instanceof ArrayBuffer) yield new Uint8Array(body)
  else for await (const chunk of body) yield toBytes(chunk)
}

function toBytes(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk
  if (typeof chunk === 'string') return encodeUtf8(chunk)
  throw new StorageError('InvalidArgument', `A body gives bytes or text, not ${typeof chunk}.`)
}

/** Everything a source gives, in one piece. */
export async function collect(source: ByteSource): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of source) chunks.push(chunk)
  return chunks.length === 1 ? (chunks[0] as Uint8Array) : concatBytes(chunks)
}

/** The shapes bytes can come in. */
import { StorageError } from '../errors.ts'
import type { ByteSource } from '../ports/index.ts'
import { encodeUtf8 } from '../bytes/utf8.ts'

/**
 * Text is taken as UTF-8. Node streams and web streams are async iterables of bytes. A stream is read to its end or
 * ended: destroyed or cancelled, also when it is refused before a byte was read.
 */
export type Body =
  | string
  | Uint8Array
  | ArrayBuffer
  | AsyncIterable<Uint8Array | string>
  | Iterable<Uint8Array | string>

/** Gives `take` the bytes of a body. If that fails the body is ended, once: whoever feeds it must not wait for ever. */
export async function withBody<R>(body: Body, take: (source: ByteSource) => Promise<R>): Promise<R> {
  let asked = false
  const source = {
    [Symbol.asyncIterator]() {
      asked = true
      return byteSource(body)
    },
  }
  try {
    return await take(source)
  } catch (error) {
    await endBody(body, asked).catch(() => undefined)
    throw error
  }
}

/** Who asked for the first chunk ends what it asked; only a Node stream can be told more while it is silent. */
async function endBody(body: Body, asked: boolean): Promise<void> {
  if (typeof body === 'string' || body instanceof Uint8Array || body instanceof ArrayBuffer) return
  if (isDestroyable(body)) body.destroy()
  else if (!asked)
    await (Symbol.asyncIterator in body ? body[Symbol.asyncIterator]() : body[Symbol.iterator]()).return?.()
}

const isDestroyable = (body: object): body is { destroy(): unknown } =>
  'destroy' in body && typeof body.destroy === 'function'

async function* byteSource(body: Body): AsyncGenerator<Uint8Array> {
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

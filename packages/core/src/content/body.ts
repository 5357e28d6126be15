/** The shapes bytes can come in. */
import { StorageError } from '../errors.ts'
import type { ByteSource } from '../ports/index.ts'
import { plainBytes } from '../schema/scalars.ts'
import { kindOf } from '../schema/schema.ts'
import { TextPieces } from './text-pieces.ts'

/**
 * Text is taken as UTF-8, and is well formed as a whole: the pieces of a stream may split a surrogate pair. Node streams and
 * web streams are async iterables. A stream is read to its end or ended: destroyed or cancelled, also when it is refused
 * before a byte was read.
 */
export type Body =
  | string
  | Uint8Array
  | ArrayBuffer
  | AsyncIterable<Uint8Array | string>
  | Iterable<Uint8Array | string>
  | BlobLike

/** A `Blob`, as browsers and Node have it: its bytes come from a stream of its own. */
export interface BlobLike {
  stream(): AsyncIterable<Uint8Array>
}

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
    checkBody(body)
    return await take(source)
  } catch (error) {
    await endBody(body, asked).catch(() => undefined)
    throw error
  }
}

/** Who asked for the first chunk ends what it asked; only a Node stream can be told more while it is silent. */
async function endBody(body: Body, asked: boolean): Promise<void> {
  if (typeof body !== 'object' || body === null || wholeBytes(body) !== undefined) return
  if (isDestroyable(body)) body.destroy()
  else if (!asked && Symbol.asyncIterator in body) await body[Symbol.asyncIterator]().return?.()
  else if (!asked && Symbol.iterator in body) body[Symbol.iterator]().return?.()
}

const isDestroyable = (body: object): body is { destroy(): unknown } =>
  'destroy' in body && typeof body.destroy === 'function'

/** @throws StorageError `InvalidArgument` for what gives no bytes. */
function checkBody(body: unknown): void {
  if (typeof body === 'string' || wholeBytes(body) !== undefined) return
  if (typeof body !== 'object' || body === null || !isIterable(body)) {
    const expected = 'text, bytes, a Blob, or something to iterate that gives them'
    throw new StorageError('InvalidArgument', `body must be ${expected}, not ${kindOf(body)}.`, {
      details: { ArgumentName: 'body' },
    })
  }
}

function isIterable(body: object): boolean {
  try {
    const { stream } = body as Partial<BlobLike>
    const iterators = body as Partial<AsyncIterable<unknown> & Iterable<unknown>>
    const methods: readonly unknown[] = [stream, iterators[Symbol.asyncIterator], iterators[Symbol.iterator]]
    return methods.some((method) => typeof method === 'function')
  } catch {
    return false
  }
}

/** Bytes that are all there. */
function wholeBytes(body: unknown): Uint8Array | undefined {
  return body instanceof ArrayBuffer ? new Uint8Array(body) : plainBytes(body)
}

async function* byteSource(body: Body): AsyncGenerator<Uint8Array> {
  const text = new TextPieces()
  if (typeof body === 'string') yield text.encode(body)
  else {
    const whole = wholeBytes(body)
    if (whole !== undefined) return yield* slices(whole)
    for await (const chunk of chunksOf(body))
      yield typeof chunk === 'string' ? text.encode(chunk) : toBytes(chunk, text)
  }
  text.end()
}

/** Copies, one at a time: the caller may fill the buffer again while its bytes are hashed here and written there. */
function* slices(whole: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < whole.length; at += sliceBytes) yield whole.slice(at, at + sliceBytes)
}

const sliceBytes = 1024 * 1024

function chunksOf(body: object): AsyncIterable<unknown> {
  const { stream } = body as Partial<BlobLike>
  const isBlob = typeof stream === 'function' && !(Symbol.asyncIterator in body)
  return isBlob ? (Reflect.apply(stream, body, []) as AsyncIterable<unknown>) : (body as AsyncIterable<unknown>)
}

function toBytes(chunk: unknown, before: TextPieces): Uint8Array {
  before.end()
  const bytes = plainBytes(chunk)
  if (bytes !== undefined) return bytes
  throw new StorageError('InvalidArgument', `A body gives bytes or text, not ${kindOf(chunk)}.`)
}

/** The types of a body, and how they become a stream of bytes. */
import { StorageError } from '../base/errors.ts'
import { type Soon, whenThere } from '../base/soon.ts'
import { limits } from '../base/limits.ts'
import { plainBytes } from '../schema/scalars.ts'
import { checked, kindOf, Mismatch, type Schema } from '../schema/schema.ts'
import { chunksOf } from './chunks-of.ts'
import { tooLarge } from './meter.ts'
import { type BodySource, type InOnePiece, onePiece, onePieceMax } from './one-piece.ts'
import { TextPieces } from './text-pieces.ts'

/**
 * Text and whole bytes are copied at the call, so bytes may be changed or transferred at once. Large ones take less
 * memory as a stream. A chunk of a stream must not change until the next one is requested.
 *
 * Text is encoded as UTF-8 and must be well formed as a whole: a surrogate pair may be split between two pieces of a
 * stream. Node streams and web streams are async iterables. A stream is read to its end, or else destroyed or
 * cancelled, even if it is refused before its first byte was read.
 */
export type Body =
  | string
  | Uint8Array
  | ArrayBuffer
  | AsyncIterable<Uint8Array | string>
  | Iterable<Uint8Array | string>
  | BlobLike

/** A `Blob` as in browsers and Node: its `stream()` gives the bytes. */
export interface BlobLike {
  stream(): AsyncIterable<Uint8Array>
}

/** Passes the bytes of a body to `take`. If that fails, it ends the body once, so that the producer does not hang. */
export async function withBody<R>(body: Body, take: (source: BodySource) => Promise<R>): Promise<R> {
  let source: BytesOfBody | undefined
  try {
    const whole = kept(checked('body', wholeBody, body))
    const piece = whole === undefined ? pieceOf(body as InOnePiece) : pieceOfWhole(whole)
    source = piece === undefined ? new BytesOfBody(body, whole) : new PieceOfBody(body, whole, piece)
    return await take(source)
  } catch (error) {
    await endBody(body, source?.isRequested === true).catch(() => undefined)
    throw error
  }
}

/** A class, because a literal with a computed name costs a microsecond. */
class BytesOfBody implements BodySource {
  isRequested = false
  readonly #body: Body
  readonly #whole: string | Uint8Array | undefined

  constructor(body: Body, whole: string | Uint8Array | undefined) {
    this.#body = body
    this.#whole = whole
  }

  [Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    this.isRequested = true
    return this.#whole === undefined ? streamedBytes(this.#body as object) : wholeBytes(this.#whole)
  }
}

class PieceOfBody extends BytesOfBody {
  readonly #piece: () => Soon<Uint8Array>

  constructor(body: Body, whole: string | Uint8Array | undefined, piece: () => Soon<Uint8Array>) {
    super(body, whole)
    this.#piece = piece
  }

  [onePiece](): Soon<Uint8Array> {
    this.isRequested = true
    return this.#piece()
  }
}

/** Only a Node stream can be ended while a read of it is pending. */
async function endBody(body: Body, isRequested: boolean): Promise<void> {
  if (typeof body !== 'object' || body === null || ArrayBuffer.isView(body)) return
  if (isDestroyable(body)) body.destroy()
  else if (!isRequested && Symbol.asyncIterator in body) await body[Symbol.asyncIterator]().return?.()
  else if (!isRequested && Symbol.iterator in body) body[Symbol.iterator]().return?.()
}

const isDestroyable = (body: object): body is { destroy(): unknown } =>
  'destroy' in body && typeof body.destroy === 'function'

/** Text or whole bytes; `undefined` for a body that is iterated. */
const wholeBody: Schema<string | Uint8Array | undefined> = {
  read(body) {
    if (typeof body === 'string') return body
    const bytes = viewOf(body)
    if (bytes !== undefined) return bytes
    if (typeof body === 'object' && body !== null && isIterable(body)) return undefined
    throw new Mismatch(`must be text, bytes, a Blob, or something to iterate that gives them, not ${kindOf(body)}`)
  },
  accepts: () => false,
}

function viewOf(body: unknown): Uint8Array | undefined {
  if (!(body instanceof ArrayBuffer)) return plainBytes(body)
  try {
    return new Uint8Array(body)
  } catch {
    throw new Mismatch('has lost its bytes: it was transferred')
  }
}

/** Copies the bytes, so that later changes by the caller have no effect. */
function kept(whole: string | Uint8Array | undefined): string | Uint8Array | undefined {
  if (whole === undefined || typeof whole === 'string') return whole
  if (whole.length > limits.uploadSizeMax) throw tooLarge()
  try {
    return whole.slice()
  } catch (cause) {
    const message = `body has ${whole.length} bytes, and there is no memory for a copy of them: give them as a stream.`
    throw new StorageError('InvalidArgument', message, { details: { ArgumentName: 'body' }, cause })
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

/** `undefined`: the bytes come as a stream. */
function pieceOf(body: InOnePiece): InOnePiece[typeof onePiece] {
  if (typeof body[onePiece] !== 'function') return undefined
  return () => whenThere(body[onePiece]?.(), (bytes) => checked('body', chunkOfBody, bytes))
}

function pieceOfWhole(whole: string | Uint8Array): InOnePiece[typeof onePiece] {
  if (whole.length > onePieceMax) return undefined
  return () => (typeof whole === 'string' ? encoded(whole) : whole)
}

const sliceBytes = 1024 * 1024

function encoded(whole: string): Uint8Array {
  const text = new TextPieces()
  const bytes = text.encode(whole)
  text.end()
  return bytes
}

async function* wholeBytes(whole: string | Uint8Array): AsyncGenerator<Uint8Array> {
  if (typeof whole === 'string') yield encoded(whole)
  else for (let at = 0; at < whole.length; at += sliceBytes) yield whole.subarray(at, at + sliceBytes)
}

async function* streamedBytes(body: object): AsyncGenerator<Uint8Array> {
  const text = new TextPieces()
  for await (const chunk of chunksOf('body', streamOf(body))) {
    yield typeof chunk === 'string' ? text.encode(chunk) : toBytes(chunk, text)
  }
  text.end()
}

/** @throws StorageError `InvalidArgument` for a Blob without a stream */
function streamOf(body: object): object {
  const { stream } = body as Partial<BlobLike>
  if (typeof stream !== 'function' || Symbol.asyncIterator in body) return body
  const given: unknown = Reflect.apply(stream, body, [])
  return checked('body', streamed, given)
}

const streamed: Schema<object> = {
  read(value) {
    if (typeof value === 'object' && value !== null) return value
    throw new Mismatch(`must have a stream, not ${kindOf(value)}`)
  },
  accepts: () => false,
}

function toBytes(chunk: unknown, before: TextPieces): Uint8Array {
  before.end()
  return checked('body', chunkOfBody, chunk)
}

const chunkOfBody: Schema<Uint8Array> = {
  read(chunk) {
    const bytes = plainBytes(chunk)
    if (bytes === undefined) throw new Mismatch(`gives bytes or text, not ${kindOf(chunk)}`)
    // Copy shared memory: another thread could change it between hashing and writing.
    return bytes.buffer instanceof ArrayBuffer ? bytes : bytes.slice()
  },
  accepts: () => false,
}

/**
 * The bytes of an iterable, each chunk checked.
 * @throws StorageError `InvalidArgument` for chunks that are not bytes
 */
export async function* checkedBytes(name: string, source: object): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunksOf(name, source)) yield checked(name, chunkOfBody, chunk)
}

/** Reads answers of the control API, and throws the errors in them. */
import type { IncomingMessage } from 'node:http'
import { type ByteSource, type ErrorCode, schema, StorageError } from '@varve/core'
import { type ControlError, controlErrorShape, errorTrailer } from '@varve/http'

const { answerBounds, Mismatch, objectWith } = schema

interface Output<O> {
  readonly output: { read(value: unknown, bounds: schema.Bounds): O }
}

type Signal = AbortSignal | undefined

/** Bounds what a program that is no store of this release can make this one hold. Parts of an answer have no bounds of their own. */
const textMax = 64 * 1024 * 1024

/** @throws StorageError `StoreClosed` for an answer that is cut off, `InternalError` for one of another shape */
export async function valueIn<O>({ output }: Output<O>, answer: IncomingMessage, signal: Signal): Promise<O> {
  return read(output, parsed(await textOf(answer, signal)))
}

/** @throws as `valueIn`; the error that the last line is */
export async function* linesOf<O>(
  { output }: Output<O>,
  answer: IncomingMessage,
  signal: Signal,
): AsyncGenerator<O, void, undefined> {
  let rest = ''
  for await (const text of textsOf(answer, signal)) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > textMax) throw unexpected('it has a line without an end')
    for (const line of lines) {
      // An empty line only shows that the connection is in use.
      if (line === '') continue
      const value = parsed(line)
      if (errorLine.accepts(value)) throw thrown(read(errorLine, value).error)
      yield read(output, value)
    }
  }
}

/** @throws (when it is read) as `valueIn`; the error that the bytes ended with */
export const bodyOf = (answer: IncomingMessage, signal: Signal): ByteSource => ({
  async *[Symbol.asyncIterator]() {
    try {
      for await (const chunk of answer) yield chunk as Uint8Array
    } catch (error) {
      throw failureOf(error, signal)
    }
    const { [errorTrailer]: trailer } = answer.trailers
    if (typeof trailer === 'string') throw thrown(read(controlErrorShape, parsed(decodeURIComponent(trailer))))
  },
})

/** The facts in the first line of an answer, and the bytes that follow them. @throws as `valueIn`, and as `bodyOf` */
export async function factsIn<O>(
  { output }: Output<O>,
  body: ByteSource,
): Promise<{ readonly facts: O; readonly body: ByteSource }> {
  const chunks = body[Symbol.asyncIterator]()
  const line: Uint8Array[] = []
  for (;;) {
    const { done, value } = await chunks.next()
    if (done === true) throw unexpected('it has no facts')
    const end = value.indexOf(lineFeed)
    line.push(end === -1 ? value : value.subarray(0, end))
    if (end === -1) continue
    const facts = read(output, parsed(Buffer.concat(line).toString()))
    return { facts, body: followed(value.subarray(end + 1), chunks) }
  }
}

const lineFeed = 10

async function* followed(first: Uint8Array, chunks: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (first.length > 0) yield first
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value
}

/** The error of an answer that has no other content. */
export async function errorOf(answer: IncomingMessage, signal: Signal): Promise<Error> {
  const text = await textOf(answer, signal)
  if (answer.statusCode === headersTooLarge) {
    return new StorageError('InvalidArgument', 'The arguments of this call do not fit into the headers of a request.')
  }
  if (text === '') return unexpected(`its status is ${answer.statusCode}`)
  return thrown(read(errorLine, parsed(text)).error)
}

/** What a failed request throws: the reason of the signal, an error of the store, or that the owner is gone. */
export function failureOf(error: unknown, signal: Signal): unknown {
  if (signal?.aborted === true) return signal.reason
  const { code } = error as NodeJS.ErrnoException
  if (code === undefined || !cutOff.has(code)) return error
  const message = 'The process that has the store open ended before it answered. A write may have been done or not.'
  return new StorageError('StoreClosed', message, { cause: error })
}

const cutOff: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR'])

const headersTooLarge = 431

const errorLine = objectWith<{ readonly error: ControlError }>({ error: controlErrorShape })

const thrown = ({ code, message, details, hint }: ControlError): StorageError =>
  new StorageError(code as ErrorCode, message, { details, hint })

async function* textsOf(answer: IncomingMessage, signal: Signal): AsyncGenerator<string> {
  try {
    for await (const text of answer.setEncoding('utf8')) yield text as string
  } catch (error) {
    throw failureOf(error, signal)
  }
}

async function textOf(answer: IncomingMessage, signal: Signal): Promise<string> {
  let whole = ''
  for await (const text of textsOf(answer, signal)) {
    whole += text
    if (whole.length > textMax) throw unexpected('it is too long')
  }
  return whole
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw unexpected('it is not JSON')
  }
}

function read<O>(output: Output<O>['output'], value: unknown): O {
  try {
    return output.read(value, answerBounds)
  } catch (error) {
    if (error instanceof Mismatch) throw unexpected([...error.path, error.problem].join(' '))
    throw error
  }
}

const unexpected = (what: string): StorageError =>
  new StorageError('InternalError', `The process that has the store open gives an answer of another form: ${what}.`)

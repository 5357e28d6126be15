/**
 * How a program sends a request over the socket: the body begins with one line of JSON that has the arguments and the
 * caller, and the bytes follow it. So neither a long key nor the key of a client has to fit into a URL.
 */
import { type Actor, schema, StorageError } from '@varve/core'
import { actor } from './common-fields.ts'
import { jsonIn } from './json-body.ts'

const { checked, json, object, optional, text } = schema

/** The content type of a request whose body begins with its arguments. */
export const callType = 'application/x-varve-call'

/** The trailer of a request with the checksum that its bytes must have, for a program that knows it only at their end. */
export const checksumTrailer = 'x-varve-checksum'

/** The first line of a call. */
export interface CallHead {
  readonly arguments: schema.Json
  /** @default the actor of the connection */
  readonly by?: Actor
  /** @default a new id for every command */
  readonly requestId?: string
  /** The open transaction that the request belongs to. */
  readonly transaction?: string
}

const callHead = object<CallHead>({
  arguments: json,
  by: optional(actor),
  requestId: optional(text()),
  transaction: optional(text()),
})

/** Enough for the 10,000 parts of an upload. */
const lineMax = 8 * 1024 * 1024
const lineFeed = 10

export interface TakenCall {
  readonly head: CallHead
  /** What follows the line. */
  readonly rest: AsyncIterable<Uint8Array>
}

/**
 * @param onRest Called before the first byte after the line is needed.
 * @throws StorageError `EntityTooLarge`, `InvalidArgument`
 */
export async function takeCall(
  body: AsyncIterable<Uint8Array>,
  onRest: () => void = () => undefined,
): Promise<TakenCall> {
  const chunks = body[Symbol.asyncIterator]()
  const line: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { done, value } = await chunks.next()
    if (done === true) return { head: headOf(line), rest: followed(undefined, chunks, onRest) }
    const end = value.indexOf(lineFeed)
    // A chunk is valid until the next one is requested.
    line.push(end === -1 ? Uint8Array.from(value) : value.subarray(0, end))
    size += value.length
    if (end !== -1) return { head: headOf(line), rest: followed(value.subarray(end + 1), chunks, onRest) }
    if (size > lineMax) throw new StorageError('EntityTooLarge', `The arguments of a call may have ${lineMax} bytes.`)
  }
}

function headOf(line: readonly Uint8Array[]): CallHead {
  return checked('call', callHead, jsonIn(Buffer.concat(line), 'The first line of this call'))
}

async function* followed(
  first: Uint8Array | undefined,
  chunks: AsyncIterator<Uint8Array>,
  onRest: () => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    onRest()
    if (first !== undefined && first.length > 0) yield first
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value
  } finally {
    await chunks.return?.()
  }
}

/** A call as a program writes it. Numbers that JSON does not have are text, which `anyNumber` reads. */
export const callText = (head: Omit<CallHead, 'arguments'> & { readonly arguments: object }): string =>
  `${JSON.stringify(head, jsonValue)}\n`

function jsonValue(_name: string, value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.length).toString('base64')
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  return value
}

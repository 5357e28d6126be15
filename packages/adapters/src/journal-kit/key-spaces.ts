/**
 * Two key spaces in one database: `00 seq(BE64)` holds an event, `01 key` holds a row. Big-endian, so that the byte
 * order of keys is the order of positions.
 */
import type { Seq } from '@varve/core'
import { StorageError } from '@varve/core'

const eventSpace = 0x00
const rowSpace = 0x01
const eventKeyLength = 9

/** @throws TypeError unless `seq` is a position. */
export function eventKey(seq: Seq): Uint8Array {
  const key = new Uint8Array(eventKeyLength)
  writeEventKey(key, 0, seq)
  return key
}

/** By bytes: a view of the buffer would first have to get one, and a `BigInt` costs more than the rest of a key. */
function writeEventKey(bytes: Uint8Array, at: number, seq: Seq): void {
  if (!Number.isSafeInteger(seq) || seq < 0) throw new TypeError(`Not a position in the log: ${seq}`)
  bytes[at] = eventSpace
  for (let i = at + eventKeyLength - 1, rest = seq; i > at; i--) {
    bytes[i] = rest % 256
    rest = Math.floor(rest / 256)
  }
}

/** @throws StorageError `LogCorrupt` for a key that no event can have. */
export function seqOf(key: Uint8Array): Seq {
  const seq = positionIn(key)
  if (seq !== undefined) return seq
  throw new StorageError('LogCorrupt', 'The log holds a key that is no position.', { details: { kind: 'key' } })
}

/** `undefined` for a key that no event can have. */
export function positionIn(key: Uint8Array): Seq | undefined {
  if (key.length !== eventKeyLength || key[0] !== eventSpace) return undefined
  const seq = Number(new DataView(key.buffer, key.byteOffset).getBigUint64(1))
  return Number.isSafeInteger(seq) && seq > 0 ? seq : undefined
}

/** The bounds of all events. */
export const firstEventKey = Uint8Array.of(eventSpace)
export const endOfEvents = Uint8Array.of(rowSpace)

export function rowKey(key: Uint8Array): Uint8Array {
  const prefixed = new Uint8Array(key.length + 1)
  prefixed[0] = rowSpace
  prefixed.set(key, 1)
  return prefixed
}

/**
 * The keys of a batch in one shared buffer, those of the events after `head` before those of the rows: the database
 * reads the buffer behind each key, and a small array of bytes would first have to get a buffer of its own.
 */
export function batchKeys(
  head: Seq,
  { events, rows }: { readonly events: readonly unknown[]; readonly rows: readonly { readonly key: Uint8Array }[] },
): readonly Uint8Array[] {
  let length = events.length * eventKeyLength
  for (const { key } of rows) length += key.length + 1
  const bytes = new Uint8Array(length)
  const keys: Uint8Array[] = []
  let start = 0
  for (let i = 1; i <= events.length; i++) {
    writeEventKey(bytes, start, head + i)
    keys.push(bytes.subarray(start, (start += eventKeyLength)))
  }
  for (const { key } of rows) {
    bytes[start] = rowSpace
    bytes.set(key, start + 1)
    keys.push(bytes.subarray(start, (start += key.length + 1)))
  }
  return keys
}

/** Off the heap of V8, as the database needs it. Longer keys are rare. */
const passing = new Uint8Array(new ArrayBuffer(4096))

/** As `rowKey`, for a call that is done with the key when it returns. The next call writes over it. */
export function passingRowKey(key: Uint8Array): Uint8Array {
  if (key.length >= passing.length) return rowKey(key)
  passing[0] = rowSpace
  passing.set(key, 1)
  return passing.subarray(0, key.length + 1)
}

/** The caller's key, without the prefix. A view of its own takes half the time of `subarray` of a `Buffer`. */
export const rowKeyOf = ({ buffer, byteOffset, length }: Uint8Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset + 1, length - 1)

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
  if (!Number.isSafeInteger(seq) || seq < 0) throw new TypeError(`Not a position in the log: ${seq}`)
  const key = new Uint8Array(eventKeyLength)
  key[0] = eventSpace
  new DataView(key.buffer).setBigUint64(1, BigInt(seq))
  return key
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
 * The keys of many rows, in one shared buffer: the database reads the buffer behind each key, and a small array of
 * bytes would first have to get a buffer of its own.
 */
export function rowKeys(rows: readonly { readonly key: Uint8Array }[]): readonly Uint8Array[] {
  const prefixed = new Uint8Array(rows.reduce((sum, { key }) => sum + key.length + 1, 0))
  let end = 0
  return rows.map(({ key }) => {
    const start = end
    prefixed[start] = rowSpace
    prefixed.set(key, start + 1)
    end = start + key.length + 1
    return prefixed.subarray(start, end)
  })
}

/** The caller's key, without the prefix. A view of its own takes half the time of `subarray` of a `Buffer`. */
export const rowKeyOf = ({ buffer, byteOffset, length }: Uint8Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset + 1, length - 1)

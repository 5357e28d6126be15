/**
 * The entries of the database of the views beside rows: how far the views follow the log, the places of events, and how
 * much of each segment is in use. Rows have the key space of any other journal. A short value is stored as it is, a
 * long one as its place in the log. Every entry has a checksum, except a short value, which the caller checks.
 */
import { crc32 } from 'node:zlib'
import { StorageError, type Seq } from '@varve/core'
import type { LogPosition, Place } from './log-position.ts'
import { linkLength } from './log-position.ts'

const ownSpace = 0x00
const kinds = { position: 0, events: 1, usage: 2 } as const
const shortTag = 0
const placeTag = 1
const crcLength = 4
const placeLength = 13
const placeEntryLength = placeLength + crcLength

/** The key of the views' position in the log. */
export const positionKey = Uint8Array.of(ownSpace, kinds.position)

export function encodePosition({ segment, offset, head, link }: LogPosition): Uint8Array {
  const payload = Buffer.alloc(16 + linkLength)
  payload.writeUInt32BE(segment, 0)
  payload.writeUInt32BE(offset, 4)
  payload.writeBigUInt64BE(BigInt(head), 8)
  payload.set(link, 16)
  return seal(positionKey, payload)
}

/** @throws StorageError `LogCorrupt` */
export function decodePosition(entry: Uint8Array): LogPosition {
  const payload = unseal(positionKey, entry, 16 + linkLength)
  return {
    segment: payload.readUInt32BE(0),
    offset: payload.readUInt32BE(4),
    head: Number(payload.readBigUInt64BE(8)),
    link: Uint8Array.from(payload.subarray(16)),
  }
}

/** A place of the index: there is a record whose first event is `seq`. */
export interface EventPlace {
  readonly seq: Seq
  readonly segment: number
  readonly offset: number
}

export function eventPlaceKey(seq: Seq): Uint8Array {
  const key = Buffer.alloc(10)
  key[0] = ownSpace
  key[1] = kinds.events
  key.writeBigUInt64BE(BigInt(seq), 2)
  return key
}

export const firstEventPlaceKey = eventPlaceKey(0)

export function encodeEventPlace({ seq, segment, offset }: EventPlace): Uint8Array {
  const payload = Buffer.alloc(8)
  payload.writeUInt32BE(segment, 0)
  payload.writeUInt32BE(offset, 4)
  return seal(eventPlaceKey(seq), payload)
}

/** @throws StorageError `LogCorrupt` */
export function decodeEventPlace(key: Uint8Array, entry: Uint8Array): EventPlace {
  const payload = unseal(key, entry, 8)
  const seq = Number(Buffer.from(key.buffer, key.byteOffset, key.length).readBigUInt64BE(2))
  return { seq, segment: payload.readUInt32BE(0), offset: payload.readUInt32BE(4) }
}

/** Bytes of long values in a segment: all that were written and not left out since, and those that no row points to. */
export interface SegmentUsage {
  values: number
  dead: number
}

export const usageBounds = {
  gte: Uint8Array.of(ownSpace, kinds.usage),
  lt: Uint8Array.of(ownSpace, kinds.usage + 1),
} as const

export function usageKey(segment: number): Uint8Array {
  const key = Buffer.alloc(6)
  key[0] = ownSpace
  key[1] = kinds.usage
  key.writeUInt32BE(segment, 2)
  return key
}

export function encodeUsage(segment: number, { values, dead }: SegmentUsage): Uint8Array {
  const payload = Buffer.alloc(16)
  payload.writeBigUInt64BE(BigInt(values), 0)
  payload.writeBigUInt64BE(BigInt(dead), 8)
  return seal(usageKey(segment), payload)
}

/** @throws StorageError `LogCorrupt` */
export function decodeUsage(key: Uint8Array, entry: Uint8Array): [segment: number, usage: SegmentUsage] {
  const payload = unseal(key, entry, 16)
  const usage = { values: Number(payload.readBigUInt64BE(0)), dead: Number(payload.readBigUInt64BE(8)) }
  return [Buffer.from(key.buffer, key.byteOffset, key.length).readUInt32BE(2), usage]
}

/** The database copies an entry at once, so entries may share memory that is soon reused. */
export function encodeShort(value: Uint8Array): Uint8Array {
  const entry = Buffer.allocUnsafe(1 + value.length)
  entry[0] = shortTag
  entry.set(value, 1)
  return entry
}

export function encodePlace(key: Uint8Array, { segment, offset, length }: Place): Uint8Array {
  const entry = Buffer.allocUnsafe(placeEntryLength)
  entry[0] = placeTag
  entry.writeUInt32BE(segment, 1)
  entry.writeUInt32BE(offset, 5)
  entry.writeUInt32BE(length, 9)
  entry.writeUInt32BE(crc32(entry.subarray(0, placeLength), crc32(key)), placeLength)
  return entry
}

/** A value, or its place in the log. @throws StorageError `RowCorrupt` */
export function decodeRow(key: Uint8Array, entry: Uint8Array): Uint8Array | Place {
  if (entry[0] === shortTag) return entry.subarray(1)
  const bytes = Buffer.from(entry.buffer, entry.byteOffset, entry.length)
  if (bytes.length !== placeEntryLength || !isPlaceOf(key, bytes)) {
    throw new StorageError('RowCorrupt', 'A row of the views is damaged.', { details: { kind: 'place' } })
  }
  return { segment: bytes.readUInt32BE(1), offset: bytes.readUInt32BE(5), length: bytes.readUInt32BE(9) }
}

const isPlaceOf = (key: Uint8Array, entry: Buffer): boolean =>
  entry[0] === placeTag && entry.readUInt32BE(placeLength) === crc32(entry.subarray(0, placeLength), crc32(key))

function seal(key: Uint8Array, payload: Uint8Array): Uint8Array {
  const entry = new Uint8Array(crcLength + payload.length)
  new DataView(entry.buffer).setUint32(0, crc32(payload, crc32(key)))
  entry.set(payload, crcLength)
  return entry
}

function unseal(key: Uint8Array, entry: Uint8Array, length: number): Buffer {
  const bytes = Buffer.from(entry.buffer, entry.byteOffset, entry.length)
  const payload = bytes.subarray(crcLength)
  if (payload.length !== length || bytes.readUInt32BE(0) !== crc32(payload, crc32(key))) {
    throw new StorageError('LogCorrupt', 'The views do not say how far they follow the log.', {
      details: { kind: 'views' },
    })
  }
  return payload
}

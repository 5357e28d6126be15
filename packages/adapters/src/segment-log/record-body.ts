/**
 * What a record says of its commit: how long each event is, and which rows change. Short values stand in this meta
 * part; long ones stand behind the events, each with a checksum, so that they can be left out when they are dead.
 *
 *     meta := eventLength* row*
 *     row  := kind keyLength valueLength [crc] key [value]
 */
import { crc32 } from 'node:zlib'
import type { Commit, RowChange } from '@varve/core'
import type { Place } from './log-position.ts'
import { type RecordHeader, recordHeaderLength } from './record-header.ts'

const kinds = { removed: 0, short: 1, long: 2 } as const
const rowHeadLength = 9
const crcLength = 4

/** A row as one commit left it. */
export interface LoggedRow {
  /** The key with one character per byte: compares as the bytes do, and is a key for maps. */
  readonly name: string
  readonly key: Uint8Array
  readonly value: Uint8Array | null
  /** Where a long value lies. */
  readonly place?: Place
}

export interface BodySizes {
  readonly meta: number
  readonly events: number
  readonly values: number
}

/** A commit is one buffer in memory, and one write. */
const commitBytesMax = 1024 ** 3

/** @throws TypeError for more than 1 GiB. */
export function bodySizes({ events, rows }: Commit, longFrom: number): BodySizes {
  const sizes = { meta: 4 * events.length, events: 0, values: 0 }
  for (const bytes of events) sizes.events += bytes.length
  for (const { key, value } of rows) {
    sizes.meta += rowHeadLength + key.length
    if (value === null) continue
    if (value.length < longFrom) sizes.meta += value.length
    else {
      sizes.meta += crcLength
      sizes.values += value.length
    }
  }
  if (sizes.meta + sizes.events + sizes.values > commitBytesMax) throw new TypeError('A commit holds at most 1 GiB.')
  return sizes
}

export interface BodyTarget {
  /** The record's bytes; the body goes behind the header. */
  readonly record: Buffer
  readonly segment: number
  /** Of the record in its segment. */
  readonly offset: number
  readonly longFrom: number
}

/** Writes the body and returns the rows, which from then on share the record's memory. */
export function writeBody(target: BodyTarget, commit: Commit, sizes: BodySizes): LoggedRow[] {
  const { record } = target
  let at = recordHeaderLength
  for (const bytes of commit.events) at = record.writeUInt32BE(bytes.length, at)
  let eventAt = recordHeaderLength + sizes.meta
  for (const bytes of commit.events) {
    record.set(bytes, eventAt)
    eventAt += bytes.length
  }
  const cursor = { at, valueAt: eventAt }
  return commit.rows.map((row) => writeRow(target, row, cursor))
}

/** Where the next row of the meta part begins, and where its long value would. */
interface RowCursor {
  at: number
  valueAt: number
}

function writeRow(target: BodyTarget, { key, value }: RowChange, cursor: RowCursor): LoggedRow {
  const { record, longFrom } = target
  const long = value !== null && value.length >= longFrom
  record[cursor.at] = long ? kinds.long : value === null ? kinds.removed : kinds.short
  record.writeUInt32BE(key.length, cursor.at + 1)
  record.writeUInt32BE(value?.length ?? 0, cursor.at + 5)
  cursor.at += rowHeadLength
  if (long) cursor.at = record.writeUInt32BE(valueCrc(key, value), cursor.at)
  record.set(key, cursor.at)
  const name = record.toString('latin1', cursor.at, cursor.at + key.length)
  const ownKey = plain(record, cursor.at, key.length)
  cursor.at += key.length
  if (value === null) return { name, key: ownKey, value }
  return { name, key: ownKey, ...(long ? writeLong(target, value, cursor) : writeShort(record, value, cursor)) }
}

function writeShort(record: Buffer, value: Uint8Array, cursor: RowCursor): Pick<LoggedRow, 'value'> {
  const { at } = cursor
  record.set(value, at)
  cursor.at += value.length
  return { value: plain(record, at, value.length) }
}

function writeLong(
  target: BodyTarget,
  value: Uint8Array,
  cursor: RowCursor,
): Required<Omit<LoggedRow, 'name' | 'key'>> {
  const { record, segment, offset } = target
  const { valueAt } = cursor
  const { length } = value
  record.set(value, valueAt)
  cursor.valueAt += length
  return { value: plain(record, valueAt, length), place: { segment, offset: offset + valueAt, length } }
}

/** Bound to the key, so that no other row's value fits. */
const valueCrc = (key: Uint8Array, value: Uint8Array): number => crc32(value, crc32(key))

/** Without Node's own methods on it, as rows are everywhere else. */
const plain = (bytes: Buffer, at: number, length: number): Uint8Array =>
  new Uint8Array(bytes.buffer, bytes.byteOffset + at, length)

/** The checksum over meta and events. */
export const bodyCrc = (record: Buffer, { meta, events }: Omit<BodySizes, 'values'>): number =>
  crc32(record.subarray(recordHeaderLength, recordHeaderLength + meta + events))

/**
 * The events of a record, of which `bytes` are the header, the meta part and the events. `undefined` when the lengths do
 * not add up. What the bytes are worth is for the reader of the log to judge.
 */
export function readRecordEvents(header: RecordHeader, bytes: Buffer): Uint8Array[] | undefined {
  const events: Uint8Array[] = []
  if (4 * header.events > header.metaLength) return undefined
  let at = recordHeaderLength + header.metaLength
  const end = at + header.eventsLength
  for (let i = 0; i < header.events; i++) {
    const length = bytes.readUInt32BE(recordHeaderLength + 4 * i)
    if (at + length > end) return undefined
    events.push(plain(bytes, at, length))
    at += length
  }
  return at === end ? events : undefined
}

/** A row of a record on the disk. A long value is not here but at its place. */
export interface StoredRow extends LoggedRow {
  /** Of the long value, with its key. */
  readonly crc: number
}

/** The rows of a record whose body is whole. Without the values part, long values are `null`: `place` says where. */
export function readRecordRows(header: RecordHeader, bytes: Buffer, segment: number): StoredRow[] {
  let at = recordHeaderLength + 4 * header.events
  let valueAt = recordHeaderLength + header.metaLength + header.eventsLength
  return Array.from({ length: header.rows }, () => {
    const kind = bytes[at]
    const keyLength = bytes.readUInt32BE(at + 1)
    const length = bytes.readUInt32BE(at + 5)
    at += rowHeadLength
    const crc = kind === kinds.long ? bytes.readUInt32BE(at) : 0
    if (kind === kinds.long) at += crcLength
    const [name, key] = [bytes.toString('latin1', at, at + keyLength), plain(bytes, at, keyLength)]
    at += keyLength
    if (kind !== kinds.long) {
      const value = kind === kinds.removed ? null : plain(bytes, at, length)
      at += length
      return { name, key, value, crc }
    }
    const place = { segment, offset: header.offset + valueAt, length }
    const value = bytes.length < valueAt + length ? null : plain(bytes, valueAt, length)
    valueAt += length
    return { name, key, value, place, crc }
  })
}

/** False when a long value that was read is not what was written. */
export const valueIsWhole = ({ key, value, place, crc }: StoredRow): boolean =>
  place === undefined || (value !== null && crc === valueCrc(key, value))

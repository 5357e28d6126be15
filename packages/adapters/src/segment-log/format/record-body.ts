/**
 * What a record stores of its commit: the length of each event, and the changed rows. Short values are in this meta
 * part. Long values follow the events, each with a checksum, so that they can be left out when no row needs them any
 * more.
 *
 *     meta := eventLength* row*
 *     row  := kind keyLength valueLength [crc] key [value]
 */
import { crc32 } from 'node:zlib'
import type { Commit, RowChange } from '@varve/core'
import type { Place } from './log-position.ts'
import { type RecordHeader, recordHeaderLength } from './record-header.ts'
import { keyOf } from '../../journal-kit/row-name.ts'

const kinds = { removed: 0, short: 1, long: 2 } as const
const rowHeadLength = 9
const crcLength = 4

/** A row as one commit changed it. */
export interface LoggedRow {
  readonly name: string
  /** A short value, the place of a long one, or `null` for a removed row. */
  readonly found: Uint8Array | Place | null
}

export interface BodySizes {
  readonly meta: number
  readonly events: number
  readonly values: number
}

/** A commit is one buffer in memory, and one write. */
const commitBytesMax = 1024 ** 3

/** @throws TypeError for a commit of more than 1 GiB. */
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
  /** The bytes of the record; the body follows the header. */
  readonly record: Buffer
  readonly segment: number
  /** The offset of the record in its segment. */
  readonly offset: number
  readonly longFrom: number
}

/** Writes the body and returns the rows, which share no memory with the record or the commit. */
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

/** The offset of the next row in the meta part, and of its value if that is long. */
interface RowCursor {
  at: number
  valueAt: number
}

function writeRow({ record, segment, offset, longFrom }: BodyTarget, row: RowChange, cursor: RowCursor): LoggedRow {
  const { key, value } = row
  const kind = value === null ? kinds.removed : value.length < longFrom ? kinds.short : kinds.long
  const length = value?.length ?? 0
  let { at } = cursor
  record[at] = kind
  record.writeUInt32BE(key.length, at + 1)
  at = record.writeUInt32BE(length, at + 5)
  if (kind === kinds.long) at = record.writeUInt32BE(valueCrc(key, value as Uint8Array), at)
  record.set(key, at)
  const name = record.toString('latin1', at, at + key.length)
  at += key.length
  cursor.at = at
  if (value === null) return { name, found: null }
  if (kind === kinds.long) {
    const { valueAt } = cursor
    record.set(value, valueAt)
    cursor.valueAt += length
    return { name, found: { segment, offset: offset + valueAt, length } }
  }
  record.set(value, at)
  cursor.at += length
  return { name, found: new Uint8Array(value) }
}

/** Includes the key, so that a value of another row does not match. */
const valueCrc = (key: Uint8Array, value: Uint8Array): number => crc32(value, crc32(key))

/** A plain `Uint8Array` instead of a Buffer, like all other rows. */
const plain = (bytes: Buffer, at: number, length: number): Uint8Array =>
  new Uint8Array(bytes.buffer, bytes.byteOffset + at, length)

/** The checksum over meta and events. */
export const bodyCrc = (record: Buffer, { meta, events }: Omit<BodySizes, 'values'>): number =>
  crc32(record.subarray(recordHeaderLength, recordHeaderLength + meta + events))

/**
 * The events of a record. `bytes` are its header, its meta part and its events. `undefined` when the lengths do not add
 * up. The reader of the log checks the events themselves.
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

/** A row of a record on the disk. */
export interface StoredRow extends LoggedRow {
  /** The checksum of a long value and its key. */
  readonly crc: number
  /** A long value, if it was read. */
  readonly long?: Uint8Array
  /** Where a short value begins in the record. */
  readonly shortAt?: number
}

/** The rows of a record whose meta part is complete, with those of its long values that lie within `bytes`. */
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
    const name = bytes.toString('latin1', at, at + keyLength)
    at += keyLength
    if (kind === kinds.long) {
      const found = { segment, offset: header.offset + valueAt, length }
      const long = bytes.length < valueAt + length ? undefined : plain(bytes, valueAt, length)
      valueAt += length
      return { name, found, crc, ...(long === undefined ? {} : { long }) }
    }
    if (kind === kinds.removed) return { name, found: null, crc }
    const shortAt = at
    at += length
    return { name, found: new Uint8Array(plain(bytes, shortAt, length)), crc, shortAt }
  })
}

/** True if the value is the long value that was written with the row. */
export const isValueOf = ({ name, crc }: StoredRow, value: Uint8Array): boolean => crc === valueCrc(keyOf(name), value)

/** The change that wrote the row. A long value must have been read. */
export const changeOf = ({ name, found, long }: StoredRow): RowChange => ({
  key: keyOf(name),
  value: found === null || !('segment' in found) ? found : (long ?? null),
})

/**
 * The header of a record. A record holds one commit:
 *
 *     record := header meta events values
 *
 * The header has its own checksum and contains its own place, so a record can be found again after a damaged one.
 * `group` is the offset up to which the segment was durable when the record was written: if a complete record states
 * that a broken one was durable, the broken one is damage and not a torn tail.
 */
import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Seq } from '@varve/core'
import { linkLength } from './log-position.ts'

export const recordHeaderLength = 64
const magic = 0x56524543
export const magicBytes = Buffer.from('VREC', 'latin1')
const checkedFrom = 8

export interface RecordHeader {
  readonly offset: number
  /** The offset of the group of commits that was written with this one: everything before it was durable. */
  readonly group: number
  readonly events: number
  readonly rows: number
  readonly metaLength: number
  readonly eventsLength: number
  readonly valuesLength: number
  /** Over meta and events. Values have checksums of their own in the meta part: dead ones may be left out later. */
  readonly bodyCrc: number
  /** The last event before the record. */
  readonly head: Seq
  readonly previous: Uint8Array
}

export function writeRecordHeader(target: Buffer, header: RecordHeader, seed: number): void {
  target.writeUInt32BE(magic, 0)
  target.writeUInt32BE(header.offset, 8)
  target.writeUInt32BE(header.group, 12)
  target.writeUInt32BE(header.events, 16)
  target.writeUInt32BE(header.rows, 20)
  target.writeUInt32BE(header.metaLength, 24)
  target.writeUInt32BE(header.eventsLength, 28)
  target.writeUInt32BE(header.valuesLength, 32)
  target.writeUInt32BE(header.bodyCrc, 36)
  target.writeBigUInt64BE(BigInt(header.head), 40)
  target.set(header.previous, 48)
  target.writeUInt32BE(crc32(target.subarray(checkedFrom, recordHeaderLength), seed), 4)
}

/** The header at the start of `bytes`, or `undefined` unless it was written to this place. */
export function readRecordHeader(bytes: Buffer, offset: number, seed: number): RecordHeader | undefined {
  if (bytes.length < recordHeaderLength || bytes.readUInt32BE(0) !== magic) return undefined
  if (bytes.readUInt32BE(8) !== offset) return undefined
  if (bytes.readUInt32BE(4) !== crc32(bytes.subarray(checkedFrom, recordHeaderLength), seed)) return undefined
  return {
    offset,
    group: bytes.readUInt32BE(12),
    events: bytes.readUInt32BE(16),
    rows: bytes.readUInt32BE(20),
    metaLength: bytes.readUInt32BE(24),
    eventsLength: bytes.readUInt32BE(28),
    valuesLength: bytes.readUInt32BE(32),
    bodyCrc: bytes.readUInt32BE(36),
    head: readSeq(bytes, 40),
    previous: bytes.subarray(48, 48 + linkLength),
  }
}

/** Positions are safe integers. This is the hottest line of a replay. */
const readSeq = (bytes: Buffer, at: number): Seq => bytes.readUInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4)

/** The link to this record: the next record stores it as `previous`. */
export const linkOf = (header: Buffer): Uint8Array =>
  Uint8Array.from(hash('sha256', header.subarray(0, recordHeaderLength), 'buffer').subarray(0, linkLength))

/** The length of header, meta part and events. */
export const lengthBeforeValues = ({ metaLength, eventsLength }: RecordHeader): number =>
  recordHeaderLength + metaLength + eventsLength

export const endOf = (header: RecordHeader): number => header.offset + lengthBeforeValues(header) + header.valuesLength

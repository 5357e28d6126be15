/**
 * The bytes of a segment: a header, then records. A record is a header of 64 bytes and its payload, and begins at a
 * multiple of 64.
 *
 * The header of a record contains the id of its segment (which no client ever sees) and its offset. So bytes in a blob
 * that imitate a record are not taken for one. All numbers are big-endian.
 */
import { crc32 } from 'node:zlib'
import type { SegmentId } from './segment-paths.ts'

export const headerBytes = 64
const checked = 60

export type RecordKind = 'blob' | 'marks'

export interface RecordHeader {
  readonly kind: RecordKind
  /** The id of a blob; zeros for marks. */
  readonly id: string
  /** Bytes after the header. */
  readonly length: number
  /** CRC-32 of these bytes. */
  readonly crc: number
  /** Every byte of the segment before this offset was durable before this record was written. */
  readonly synced: number
}

const segmentMagic = Buffer.from('VARVESEG')
const recordMagic = Buffer.from('VREC')
const version = 1
const kinds: readonly RecordKind[] = ['blob', 'marks']
export const noId = '0'.repeat(32)

/** The next offset at which a record may begin. */
export const aligned = (at: number): number => Math.ceil(at / headerBytes) * headerBytes

export function segmentHeader(segment: SegmentId): Buffer {
  const header = Buffer.alloc(headerBytes)
  segmentMagic.copy(header)
  header[8] = version
  header.write(segment, 16, 'hex')
  header.writeUInt32BE(crc32(header.subarray(0, checked)), checked)
  return header
}

export const isSegmentHeader = (bytes: Uint8Array, segment: SegmentId): boolean => segmentHeader(segment).equals(bytes)

/** Writes the header of the record at `offset` into the first 64 bytes of `into`. */
export function putRecordHeader(into: Buffer, segment: SegmentId, offset: number, header: RecordHeader): void {
  into.fill(0, 0, headerBytes)
  recordMagic.copy(into)
  into[4] = kinds.indexOf(header.kind) + 1
  into.write(segment, 8, 'hex')
  into.write(header.id, 24, 'hex')
  putNumber(into, header.length, 40)
  putNumber(into, header.synced, 48)
  into.writeUInt32BE(header.crc, 56)
  into.writeUInt32BE(headerCrc(into, offset), checked)
}

/** The header at the start of `bytes`, which lie at `offset`; `undefined` if it is of another segment or offset. */
export function parseRecordHeader(bytes: Buffer, segment: SegmentId, offset: number): RecordHeader | undefined {
  if (bytes.length < headerBytes || bytes.compare(recordMagic, 0, 4, 0, 4) !== 0) return undefined
  const kind = kinds[(bytes[4] ?? 0) - 1]
  if (kind === undefined || bytes.toString('hex', 8, 24) !== segment) return undefined
  if (bytes.readUInt32BE(checked) !== headerCrc(bytes, offset)) return undefined
  return {
    kind,
    id: bytes.toString('hex', 24, 40),
    length: takeNumber(bytes, 40),
    synced: takeNumber(bytes, 48),
    crc: bytes.readUInt32BE(56),
  }
}

function headerCrc(header: Buffer, offset: number): number {
  const place = Buffer.alloc(8)
  putNumber(place, offset, 0)
  return crc32(place, crc32(header.subarray(0, checked)))
}

/** Eight bytes. The first two are zero: 256 TiB are enough for a file. */
export function putNumber(into: Buffer, value: number, at: number): void {
  into.writeUInt16BE(0, at)
  into.writeUIntBE(value, at + 2, 6)
}

/** A number that does not fit reads as larger than any file, so that it is refused. */
export function takeNumber(bytes: Buffer, at: number): number {
  return bytes.readUInt16BE(at) === 0 ? bytes.readUIntBE(at + 2, 6) : Number.MAX_SAFE_INTEGER
}

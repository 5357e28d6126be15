/**
 * The first bytes of a segment: its number, and the end of the segment before. Bytes after that end are the remains of
 * a commit that was never acknowledged.
 */
import { crc32 } from 'node:zlib'
import { linkLength, type LogPosition } from './log-position.ts'

const magic = Buffer.from('VARVELOG', 'latin1')
const format = 1
export const saltLength = 16
/** Checksums of records start from these bytes: a record of another segment, or of an earlier file, never matches. */
const identityLength = 32
const checkedLength = 64
export const segmentHeaderLength = checkedLength + 4

export interface SegmentHeader {
  /** Random: a writer of values cannot know it, and no two files with one number share it. */
  readonly salt: Uint8Array
  readonly number: number
  /** The end of the segment before, with its last event and link. */
  readonly previous: Omit<LogPosition, 'segment'>
  /** The number of bytes that were durable before the file had its name. */
  readonly born: number
}

export function encodeSegmentHeader({ salt, number, previous, born }: SegmentHeader): Buffer {
  const bytes = Buffer.alloc(segmentHeaderLength)
  magic.copy(bytes)
  bytes.writeUInt32BE(format, 8)
  bytes.writeUInt32BE(number, 12)
  bytes.set(salt, 16)
  bytes.writeUInt32BE(previous.offset, 32)
  bytes.writeUInt32BE(born, 36)
  bytes.writeBigUInt64BE(BigInt(previous.head), 40)
  bytes.set(previous.link, 48)
  bytes.writeUInt32BE(crc32(bytes.subarray(0, checkedLength)), checkedLength)
  return bytes
}

/** `undefined` unless it is a segment of format 1 with this number. */
export function decodeSegmentHeader(bytes: Buffer, number: number): SegmentHeader | undefined {
  if (bytes.length < segmentHeaderLength || !bytes.subarray(0, magic.length).equals(magic)) return undefined
  if (bytes.readUInt32BE(checkedLength) !== crc32(bytes.subarray(0, checkedLength))) return undefined
  if (bytes.readUInt32BE(8) !== format || bytes.readUInt32BE(12) !== number) return undefined
  return {
    salt: Uint8Array.from(bytes.subarray(16, 16 + saltLength)),
    number,
    previous: {
      offset: bytes.readUInt32BE(32),
      head: Number(bytes.readBigUInt64BE(40)),
      link: Uint8Array.from(bytes.subarray(48, 48 + linkLength)),
    },
    born: bytes.readUInt32BE(36),
  }
}

/** The initial value for the checksums of the segment's records. */
export const recordSeed = (header: SegmentHeader): number =>
  crc32(encodeSegmentHeader(header).subarray(0, identityLength))

/**
 * The list of the records in one segment, in a file beside it, so that opening a store need not read the segment. It is
 * written when the segment is complete. From then on it is authoritative: a record that it does not list was never
 * acknowledged.
 */
import { crc32 } from 'node:zlib'
import { markBytes, putMark, takeMark } from './mark-format.ts'
import type { Place, StoredBlob } from './places.ts'
import { headerBytes, putNumber, takeNumber } from './record-format.ts'
import type { SegmentId } from './segment-paths.ts'

/** Bytes where a record should be but none can be read. */
export interface Gap {
  readonly from: number
  readonly to: number
}

export interface SegmentContents {
  readonly blobs: readonly StoredBlob[]
  readonly marks: readonly Place[]
  /** Records that were acknowledged once and cannot be read any more. */
  readonly gaps: readonly Gap[]
  /** Where the last record ends. */
  readonly end: number
}

const magic = Buffer.from('VARVEIDX')
const version = 1
const blobBytes = 32
const gapBytes = 16

export function encodeIndex(segment: SegmentId, { blobs, marks, gaps, end }: SegmentContents): Buffer {
  const bytes = Buffer.alloc(headerBytes + blobs.length * blobBytes + marks.length * markBytes + gaps.length * gapBytes)
  let at = headerBytes
  for (const { id, offset, size } of blobs) {
    bytes.write(id, at, 'hex')
    putNumber(bytes, offset, at + 16)
    putNumber(bytes, size, at + 24)
    at += blobBytes
  }
  for (const mark of marks) {
    putMark(bytes, at, mark)
    at += markBytes
  }
  for (const { from, to } of gaps) {
    putNumber(bytes, from, at)
    putNumber(bytes, to, at + 8)
    at += gapBytes
  }
  magic.copy(bytes)
  bytes[8] = version
  bytes.write(segment, 16, 'hex')
  putNumber(bytes, end, 32)
  for (const [n, { length }] of [blobs, marks, gaps].entries()) bytes.writeUInt32BE(length, 40 + 4 * n)
  bytes.writeUInt32BE(crc32(bytes.subarray(headerBytes)), 56)
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 60)), 60)
  return bytes
}

/** `undefined` unless the bytes are a complete, undamaged index of this segment. */
export function decodeIndex(bytes: Buffer, segment: SegmentId): SegmentContents | undefined {
  if (!isSound(bytes, segment)) return undefined
  const [blobCount = 0, markCount = 0, gapCount = 0] = [40, 44, 48].map((at) => bytes.readUInt32BE(at))
  const marksAt = headerBytes + blobCount * blobBytes
  const gapsAt = marksAt + markCount * markBytes
  if (bytes.length !== gapsAt + gapCount * gapBytes) return undefined
  const end = takeNumber(bytes, 32)
  const each = <T>(length: number, take: (n: number) => T) => Array.from({ length }, (_, n) => take(n))
  const blobs = each(blobCount, (n) => takeBlob(bytes, headerBytes + n * blobBytes, segment))
  if (blobs.some(({ offset, size }) => offset < headerBytes || offset + headerBytes + size > end)) return undefined
  return {
    blobs,
    marks: each(markCount, (n) => takeMark(bytes, marksAt + n * markBytes)),
    gaps: each(gapCount, (n) => takeGap(bytes, gapsAt + n * gapBytes)),
    end,
  }
}

function isSound(bytes: Buffer, segment: SegmentId): boolean {
  if (bytes.length < headerBytes || bytes.compare(magic, 0, 8, 0, 8) !== 0 || bytes[8] !== version) return false
  if (bytes.readUInt32BE(60) !== crc32(bytes.subarray(0, 60))) return false
  if (bytes.toString('hex', 16, 32) !== segment) return false
  return bytes.readUInt32BE(56) === crc32(bytes.subarray(headerBytes))
}

const takeBlob = (bytes: Buffer, at: number, segment: SegmentId): StoredBlob => ({
  id: bytes.toString('hex', at, at + 16),
  segment,
  offset: takeNumber(bytes, at + 16),
  size: takeNumber(bytes, at + 24),
})

const takeGap = (bytes: Buffer, at: number): Gap => ({ from: takeNumber(bytes, at), to: takeNumber(bytes, at + 8) })

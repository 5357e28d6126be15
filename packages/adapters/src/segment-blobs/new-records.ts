/** New records for a segment: their bytes, and the place of each. */
import type { BlobId } from '@varve/core'
import { crc32 } from 'node:zlib'
import { markBytes, marksMax, putMark } from './format/mark-format.ts'
import type { Place } from './format/places.ts'
import { aligned, headerBytes, noId, putRecordHeader, type RecordKind } from './format/record-format.ts'
import type { SegmentId } from './format/segment-paths.ts'

export interface NewRecord {
  readonly kind: RecordKind
  readonly id: BlobId
  /** With space for a header in front. */
  readonly bytes: Buffer
  readonly crc: number
  /** The places that it marks as deleted. */
  readonly marks: readonly Place[]
}

export interface PlacedRecord extends NewRecord {
  readonly place: Place
}

/** `bytes` is 64 bytes of space, then the bytes of the blob. */
export const blobRecord = (id: BlobId, bytes: Buffer): NewRecord => record('blob', id, bytes, [])

/** As many records as these marks need. */
export function markRecords(places: readonly Place[]): readonly NewRecord[] {
  const records: NewRecord[] = []
  for (let i = 0; i < places.length; i += marksMax) {
    const marks = places.slice(i, i + marksMax)
    const bytes = Buffer.alloc(headerBytes + marks.length * markBytes)
    for (const [n, mark] of marks.entries()) putMark(bytes, headerBytes + n * markBytes, mark)
    records.push(record('marks', noId, bytes, marks))
  }
  return records
}

/** The bytes that it takes of a segment, with padding. */
export const roomOf = ({ bytes }: NewRecord): number => aligned(bytes.length)

/** Gives each record a place after the first `synced` bytes of the segment, and a header that contains that number. */
export function placeRecords(
  records: readonly NewRecord[],
  segment: SegmentId,
  synced: number,
): readonly PlacedRecord[] {
  let offset = aligned(synced)
  return records.map((record) => {
    const { kind, id, bytes, crc } = record
    const length = bytes.length - headerBytes
    const place = { segment, offset, size: length }
    putRecordHeader(bytes, segment, offset, { kind, id, length, crc, synced })
    offset += roomOf(record)
    return { ...record, place }
  })
}

export const endOf = (records: readonly PlacedRecord[]): number =>
  records.reduce((end, { bytes, place: { offset } }) => Math.max(end, offset + bytes.length), 0)

const record = (kind: RecordKind, id: BlobId, bytes: Buffer, marks: readonly Place[]): NewRecord => ({
  kind,
  id,
  bytes,
  crc: crc32(bytes.subarray(headerBytes)),
  marks,
})

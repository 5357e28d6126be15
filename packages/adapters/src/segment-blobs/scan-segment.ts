/**
 * Reads a segment without an index: one that was open when its process died, or one whose index was lost.
 *
 * A group of records begins only when the group before it is durable, and every record states how many bytes were
 * durable then. A broken record before the last such offset was acknowledged, so it is damage and is reported. A broken
 * record after it was torn by a crash, was never acknowledged, and is ignored.
 */
import { crc32 } from 'node:zlib'
import type { OpenFile } from '../files/file-system.ts'
import type { Gap, SegmentContents } from './format/index-format.ts'
import { markBytes, marksMax, takeMarks } from './format/mark-format.ts'
import type { Place, StoredBlob } from './format/places.ts'
import { aligned, headerBytes, parseRecordHeader, type RecordHeader } from './format/record-format.ts'
import { readUpTo } from '../files/read-up-to.ts'
import type { SegmentId } from './format/segment-paths.ts'

const windowBytes = 1024 * 1024

interface Found extends RecordHeader {
  readonly offset: number
  /** Whether its bytes are those that were written. */
  readonly whole: boolean
  readonly marks: readonly Place[]
}

/** `size` is that of the file: a stored length that reaches past it is not trusted. */
export async function scanSegment(file: OpenFile, segment: SegmentId, size: number): Promise<SegmentContents> {
  const found: Found[] = []
  const gaps: Gap[] = []
  for (let at = headerBytes; at < size; ) {
    const header = parseRecordHeader(await readUpTo(file, at, headerBytes), segment, at)
    if (header !== undefined && header.length <= size - at - headerBytes) {
      found.push({ ...header, offset: at, ...(await readPayload(file, header, at + headerBytes)) })
      at = aligned(at + headerBytes + header.length)
    } else {
      const next = await nextRecord(file, segment, aligned(at + 1), size)
      gaps.push({ from: at, to: next })
      at = next
    }
  }
  return contentsOf(segment, found, gaps)
}

function contentsOf(segment: SegmentId, found: readonly Found[], gaps: readonly Gap[]): SegmentContents {
  const synced = found.reduce((most, record) => Math.max(most, record.synced), 0)
  const there = found.filter(({ whole, offset, length }) => whole || offset + headerBytes + length <= synced)
  const blobs = there.filter(({ kind }) => kind === 'blob')
  const lostMarks = there.filter(({ kind, whole }) => kind === 'marks' && !whole)
  const gapOf = ({ offset, length }: Found): Gap => ({ from: offset, to: offset + headerBytes + length })
  return {
    blobs: blobs.map(({ id, offset, length }): StoredBlob => ({ id, segment, offset, size: length })),
    marks: there.flatMap(({ marks }) => marks),
    gaps: [...gaps.filter(({ from }) => from < synced), ...lostMarks.map(gapOf)],
    end: there.reduce((end, { offset, length }) => Math.max(end, offset + headerBytes + length), headerBytes),
  }
}

async function readPayload(
  file: OpenFile,
  { kind, length, crc }: RecordHeader,
  from: number,
): Promise<Pick<Found, 'whole' | 'marks'>> {
  if (kind === 'blob') return { whole: (await crcOf(file, from, length)) === crc, marks: [] }
  if (length > marksMax * markBytes) return { whole: false, marks: [] }
  const payload = await readUpTo(file, from, length)
  const marks = payload.length === length && crc32(payload) === crc ? takeMarks(payload) : undefined
  return { whole: marks !== undefined, marks: marks ?? [] }
}

async function crcOf(file: OpenFile, from: number, length: number): Promise<number> {
  let crc = 0
  for (let at = 0; at < length; at += windowBytes) {
    crc = crc32(await readUpTo(file, from + at, Math.min(windowBytes, length - at)), crc)
  }
  return crc
}

/** The offset of the next header that was written for its place; `size` when there is none. */
async function nextRecord(file: OpenFile, segment: SegmentId, from: number, size: number): Promise<number> {
  for (let start = from; start < size; start += windowBytes) {
    const bytes = await readUpTo(file, start, Math.min(windowBytes, size - start))
    for (let at = 0; at + headerBytes <= bytes.length; at += headerBytes) {
      const header = parseRecordHeader(bytes.subarray(at, at + headerBytes), segment, start + at)
      if (header !== undefined) return start + at
    }
  }
  return size
}

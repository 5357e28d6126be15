/** Walks through records one after another and checks each of them. */
import { crc32 } from 'node:zlib'
import type { FileWindow } from './file-window.ts'
import type { LogPosition } from './log-position.ts'
import { isValueOf, readRecordRows, type StoredRow } from './record-body.ts'
import {
  endOf,
  lengthBeforeValues,
  linkOf,
  magicBytes,
  readRecordHeader,
  type RecordHeader,
  recordHeaderLength,
} from './record-header.ts'

export interface ScannedRecord {
  readonly header: RecordHeader
  /** The whole record, or everything before its values. */
  readonly bytes: Buffer
  readonly rows: readonly StoredRow[]
}

export interface ScanOptions {
  readonly segment: number
  readonly seed: number
  /** The end of the records. */
  readonly end: number
  /** Also read and check long values. They may be missing in a segment that has a successor. */
  readonly values: boolean
}

/** The record at `offset`, or `undefined` unless it is complete. */
export async function wholeRecord(
  window: FileWindow,
  offset: number,
  { segment, seed, end, values }: ScanOptions,
): Promise<ScannedRecord | undefined> {
  const head = window.peek(offset, recordHeaderLength) ?? (await window.load(offset, recordHeaderLength))
  const header = readRecordHeader(head, offset, seed)
  if (header === undefined || endOf(header) > end) return undefined
  const checked = lengthBeforeValues(header)
  const length = values ? checked + header.valuesLength : checked
  const bytes = window.peek(offset, length) ?? (await window.load(offset, length))
  if (bytes.length < length || crc32(bytes.subarray(recordHeaderLength, checked)) !== header.bodyCrc) return undefined
  const rows = readRecordRows(header, bytes, segment)
  if (values && !rows.every((row) => row.long === undefined || isValueOf(row, row.long))) return undefined
  return { header, bytes, rows }
}

/** True when the record matches the records before it. */
export const follows = ({ header }: ScannedRecord, { head, link }: LogPosition): boolean =>
  header.head === head && Buffer.compare(header.previous, link) === 0

export const after = ({ header, bytes }: ScannedRecord, { segment }: LogPosition): LogPosition => ({
  segment,
  offset: endOf(header),
  head: header.head + header.events,
  link: linkOf(bytes),
})

/**
 * The next header at or after `from` that was written to the place where it is, whatever lies between. Its checksum
 * starts from the segment's salt, so a value that imitates a record is not taken for one.
 */
export async function nextHeader(
  window: FileWindow,
  from: number,
  { seed, end }: Pick<ScanOptions, 'seed' | 'end'>,
): Promise<RecordHeader | undefined> {
  for (let at = from; at + recordHeaderLength <= end; ) {
    const bytes = await window.load(at, searchLength)
    const found = firstHeader(bytes, at, seed)
    if (found !== undefined) return found
    if (bytes.length < searchLength) return undefined
    at += bytes.length - recordHeaderLength + 1
  }
  return undefined
}

const searchLength = 256 * 1024

function firstHeader(bytes: Buffer, from: number, seed: number): RecordHeader | undefined {
  for (let at = bytes.indexOf(magicBytes); at >= 0; at = bytes.indexOf(magicBytes, at + 1)) {
    const header = readRecordHeader(bytes.subarray(at, at + recordHeaderLength), from + at, seed)
    if (header !== undefined) return header
  }
  return undefined
}

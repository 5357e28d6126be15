/**
 * Headers of tar members: ustar, with pax records for what ustar cannot express. A subset of POSIX.1-2017 `pax`: plain
 * files, with the records `path` and `size`.
 */
import { archiveCorrupt } from './archive-error.ts'

export const blockBytes = 512

/** The largest size that the field of a ustar header can express. */
const sizeMax = 0o77777777777
const nameMax = 100
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true })

export interface TarMember {
  readonly path: string
  /** Bytes. */
  readonly size: number
}

/** A header block as it is, before pax records are applied. */
export interface TarHeader extends TarMember {
  /** A plain file, or pax records of the next member. */
  readonly type: 'file' | 'records'
}

/** The header of a plain file, with the pax records that it needs. `mtime`: seconds since the epoch. */
export function tarHeader({ path, size }: TarMember, mtime: number): Uint8Array {
  const isPlain = /^[\x20-\x7e]*$/.test(path) && path.length <= nameMax
  const records = [
    ...(isPlain ? [] : [record('path', path)]),
    ...(size > sizeMax ? [record('size', String(size))] : []),
  ]
  const block = headerBlock(isPlain ? path : substitute(path), Math.min(size, sizeMax), mtime, '0')
  if (records.length === 0) return block
  const body = encoder.encode(records.join(''))
  const padded = new Uint8Array(2 * blockBytes + paddedSize(body.length))
  padded.set(headerBlock('pax-records', body.length, mtime, 'x'))
  padded.set(body, blockBytes)
  padded.set(block, blockBytes + paddedSize(body.length))
  return padded
}

/** What programs see that do not read pax records. */
const substitute = (path: string): string =>
  path
    .replace(/[^\x20-\x7e]/g, '_')
    .slice(-nameMax)
    .replace(/^\/+/, '')

function record(name: string, value: string): string {
  const rest = encoder.encode(` ${name}=${value}\n`).length
  let length = rest + String(rest).length
  length = rest + String(length).length
  return `${length} ${name}=${value}\n`
}

function headerBlock(path: string, size: number, mtime: number, type: string): Uint8Array {
  const block = new Uint8Array(blockBytes)
  const put = (at: number, text: string) => block.set(encoder.encode(text), at)
  const octal = (at: number, digits: number, value: number) => put(at, value.toString(8).padStart(digits, '0'))
  put(0, path)
  octal(100, 7, 0o644)
  octal(108, 7, 0)
  octal(116, 7, 0)
  octal(124, 11, size)
  octal(136, 11, Math.max(0, Math.min(mtime, sizeMax)))
  put(156, type)
  put(257, 'ustar\u000000')
  octal(148, 6, checksumOf(block))
  block[155] = 0x20
  return block
}

/** The sum of the bytes, with the field of the sum itself as blanks. */
function checksumOf(block: Uint8Array): number {
  let sum = 0
  for (let at = 0; at < blockBytes; at++) sum += at >= 148 && at < 156 ? 0x20 : (block[at] as number)
  return sum
}

export const isZeroBlock = (block: Uint8Array): boolean => block.every((byte) => byte === 0)

/** @throws StorageError `ArchiveCorrupt` */
export function parseTarHeader(block: Uint8Array): TarHeader {
  const text = (at: number, length: number) => textOf(block.subarray(at, at + length))
  if (octalOf(text(148, 8)) !== checksumOf(block) || !text(257, 6).startsWith('ustar')) {
    throw archiveCorrupt('header', 'this is no header of a tar member')
  }
  const prefix = text(345, 155)
  const path = prefix === '' ? text(0, nameMax) : `${prefix}/${text(0, nameMax)}`
  const [type, size] = [text(156, 1), octalOf(text(124, 12))]
  if (size === undefined) throw archiveCorrupt('header', 'the size is no octal number', path)
  if (type === 'x') return { path, size, type: 'records' }
  if (type === '0' || type === '') return { path, size, type: 'file' }
  throw archiveCorrupt(
    'header',
    `it has a member of type ${JSON.stringify(type)}, and archives have plain files alone`,
    path,
  )
}

/** Up to the first NUL. */
function textOf(field: Uint8Array): string {
  const end = field.indexOf(0)
  return decoded(end < 0 ? field : field.subarray(0, end))
}

/** @throws StorageError `ArchiveCorrupt` */
function decoded(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch (cause) {
    throw archiveCorrupt('header', 'a name is not UTF-8', undefined, cause)
  }
}

function octalOf(text: string): number | undefined {
  const digits = text.trim()
  return /^[0-7]{1,12}$/.test(digits) ? Number.parseInt(digits, 8) : undefined
}

/** The most bytes that the pax records of a member may have: a path of the longest key has 4 KiB. */
export const recordsMax = 16 * 1024

/** Applies pax records to the header that follows them. Others than `path` and `size` have no effect. @throws StorageError `ArchiveCorrupt` */
export function withRecords(records: Uint8Array, header: TarHeader): TarHeader {
  let found = header
  let at = 0
  while (at < records.length) {
    const blank = records.indexOf(0x20, at)
    const length = blank < 0 ? Number.NaN : Number(decoded(records.subarray(at, blank)))
    if (!Number.isSafeInteger(length) || length <= blank - at + 1 || at + length > records.length) {
      throw archiveCorrupt('header', 'its pax records cannot be read', header.path)
    }
    const line = decoded(records.subarray(blank + 1, at + length))
    const [, name = '', value = ''] = /^([^=]+)=(.*)\n$/s.exec(line) ?? []
    if (name === 'path') found = { ...found, path: value }
    if (name === 'size') found = { ...found, size: sizeIn(value, header.path) }
    at += length
  }
  return found
}

function sizeIn(value: string, path: string): number {
  if (/^\d{1,16}$/.test(value) && Number.isSafeInteger(Number(value))) return Number(value)
  throw archiveCorrupt('header', 'the size in its pax records is no number', path)
}

/** Members fill whole blocks. */
export const paddedSize = (size: number): number => Math.ceil(size / blockBytes) * blockBytes

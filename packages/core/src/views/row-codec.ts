/** Encodes rows as framed JSON, so that damage is detected before parsing. */
import { StorageError } from '../base/errors.ts'
import { headerLength, isSealed, openFrame, sealText } from '../bytes/frame.ts'
import { decodeUtf8 } from '../bytes/utf8.ts'
import { toHex } from '../bytes/hex.ts'
import type { Hashing, Row } from '../ports/index.ts'
import { isShaped } from './row-shapes.ts'

/** Encodes rows one after another. A row under two keys, such as a current version, is converted to text only once. */
export function rowEncoder(hashing: Hashing): (key: Uint8Array, row: object) => Uint8Array {
  let last: object | undefined
  let text = ''
  return (key, row) => {
    if (row !== last) text = JSON.stringify((last = row))
    return sealText(hashing, key, text)
  }
}

/** @throws StorageError `RowCorrupt` naming the key in hex. */
export function decodeRow<R>(hashing: Hashing, key: Uint8Array, frame: Uint8Array): R {
  const payload = openFrame(hashing, key, frame)
  if (payload === undefined) throw corruptRow(key, 'checksum')
  try {
    const row: unknown = JSON.parse(decodeUtf8(payload))
    if (isRow(key, row)) return row as R
  } catch {
    // A right checksum does not prove valid JSON; the error below reports it.
  }
  throw corruptRow(key, 'payload')
}

/**
 * Decodes many rows: checks their checksums one by one and parses their texts together, because a call per row costs
 * more.
 * @throws StorageError as `decodeRow`, for the first damaged row.
 */
export function decodeRows<R>(hashing: Hashing, rows: readonly Row[]): readonly R[] {
  return decodeSoundRows(hashing, rows) ?? rows.map(([key, frame]) => decodeRow<R>(hashing, key, frame))
}

/** As `decodeRows`, for callers that may not need a damaged row: `undefined` if any row is damaged. */
export function decodeSoundRows<R>(hashing: Hashing, rows: readonly Row[]): readonly R[] | undefined {
  const values = rows.every(([key, frame]) => isSealed(hashing, key, frame)) ? parseTogether(rows) : []
  const sound = values.length === rows.length && rows.every(([key], i) => isRow(key, values[i]))
  return sound ? (values as R[]) : undefined
}

/** Parses sealed frames as one JSON array. Its length differs from theirs if a frame is not the JSON of one value. */
function parseTogether(rows: readonly Row[]): readonly unknown[] {
  const text = new Uint8Array(rows.reduce((length, [, frame]) => length + frame.length, 1))
  let end = 0
  for (const [, frame] of rows) {
    text.set(frame, end)
    // Blanks replace the header, because cutting it off would need a view of each frame.
    text.fill(blank, end, end + headerLength)
    text[end] = end === 0 ? opening : comma
    end += frame.length
  }
  text[end] = closing
  try {
    return JSON.parse(decodeUtf8(text)) as unknown[]
  } catch {
    return []
  }
}

const [blank, opening, comma, closing] = [0x20, 0x5b, 0x2c, 0x5d]

const isRow = (key: Uint8Array, row: unknown): boolean => typeof row === 'object' && row !== null && isShaped(key, row)

export const corruptRow = (key: Uint8Array, kind: 'checksum' | 'payload'): StorageError =>
  new StorageError('RowCorrupt', `A row of the views is damaged (${kind}).`, { details: { key: toHex(key), kind } })

/** Rows as bytes: framed JSON, so that damage is told from data before anything is parsed. */
import { StorageError } from '../errors.ts'
import { openFrame, sealText } from '../bytes/frame.ts'
import { decodeUtf8 } from '../bytes/utf8.ts'
import { toHex } from '../bytes/hex.ts'
import type { Hashing } from '../ports/index.ts'
import { isShaped } from './row-shapes.ts'

/** For rows one after another: the same one under two keys, such as a version that is current, is turned into text once. */
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
    if (typeof row === 'object' && row !== null && isShaped(key, row)) return row as R
  } catch {
    // Said below: a checksum can be right over nonsense.
  }
  throw corruptRow(key, 'payload')
}

const corruptRow = (key: Uint8Array, kind: 'checksum' | 'payload'): StorageError =>
  new StorageError('RowCorrupt', `A row of the views is damaged (${kind}).`, { details: { key: toHex(key), kind } })

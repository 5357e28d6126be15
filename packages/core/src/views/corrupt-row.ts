import { StorageError } from '../base/errors.ts'
import { toHex } from '../bytes/hex.ts'

/** The error for a row whose bytes are not what the store wrote. */
export const corruptRow = (key: Uint8Array, kind: 'checksum' | 'payload'): StorageError =>
  new StorageError('RowCorrupt', `A row of the views is damaged (${kind}).`, { details: { key: toHex(key), kind } })

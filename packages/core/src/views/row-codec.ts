/** Encodes rows as framed records. The checksum of a frame is checked before anything else is read. */
import { StorageError } from '../base/errors.ts'
import { frameFormat, isSealed } from '../bytes/frame.ts'
import { toHex } from '../bytes/hex.ts'
import { copyRecord, readRecord, sealRecord, writeRecord } from '../codec/record.ts'
import type { Hashing } from '../ports/index.ts'
import { corruptRow } from './corrupt-row.ts'
import type { RowForm } from './row-form.ts'
import { rowFormOf } from './row-forms.ts'
import { ObjectVersionRow } from './version-row.ts'

/** Encodes rows one after another. A row under two keys, such as a current version, is encoded only once. */
export class RowEncoder {
  readonly #hashing: Hashing
  #row: object | undefined
  #form: RowForm<object> | undefined
  #frame: Uint8Array = new Uint8Array(0)

  constructor(hashing: Hashing) {
    this.#hashing = hashing
  }

  /** @throws StorageError `InternalError` for a row that its table cannot express */
  encode(key: Uint8Array, row: object): Uint8Array {
    const form = rowFormOf(key)
    const isSame = row === this.#row && form?.write === this.#form?.write
    this.#frame = isSame ? copyRecord(this.#frame) : recordOf(key, form, row)
    this.#row = row
    this.#form = form
    return sealRecord(this.#hashing, key, this.#frame)
  }
}

function recordOf(key: Uint8Array, form: RowForm<object> | undefined, row: object): Uint8Array {
  try {
    if (form === undefined) throw new TypeError('No table has this key.')
    return writeRecord((to) => form.write(to, row))
  } catch (cause) {
    throw new StorageError('InternalError', 'A row of the views cannot be written.', {
      details: { key: toHex(key) },
      cause,
    })
  }
}

/**
 * The facts of an object are decoded when they are read, which then throws the same error.
 * @throws StorageError `RowCorrupt` naming the key in hex
 */
export function decodeRow<R>(hashing: Hashing, key: Uint8Array, frame: Uint8Array): R {
  if (!isSealed(hashing, key, frame, frameFormat.record)) throw corruptRow(key, 'checksum')
  try {
    const from = readRecord(frame)
    // A key without a table has no row, which the error below reports.
    const row = (rowFormOf(key) as RowForm<object>).read(from, key)
    from.end()
    return row as R
  } catch {
    throw corruptRow(key, 'payload')
  }
}

/** Decodes all of a row. @throws StorageError as `decodeRow` */
export function checkRow(hashing: Hashing, key: Uint8Array, frame: Uint8Array): object {
  const row = decodeRow<object>(hashing, key, frame)
  if (row instanceof ObjectVersionRow) void row.facts
  return row
}

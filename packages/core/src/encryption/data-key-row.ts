/**
 * The row that keeps the wrapped data key of a blob. It is committed with the event that names the blob, and the
 * projection of the event that records the erasure removes it. The log cannot keep it, because an event is never
 * removed.
 */
import { concatBytes } from '../bytes/bytes.ts'
import { openFrame, sealFrame } from '../bytes/frame.ts'
import { isStorageError, StorageError } from '../base/errors.ts'
import type { BlobId, Hashing, RowChange, RowReader } from '../ports/index.ts'
import { corruptRow } from '../views/row-codec.ts'
import { dataKeyTable } from '../views/tables.ts'

/** The first byte of the payload. */
const payloadVersion = 1

/** The row of a wrapped data key. */
export function dataKeyRow(hashing: Hashing, blob: BlobId, wrapped: Uint8Array): RowChange {
  const key = dataKeyTable.key(blob)
  return { key, value: sealFrame(hashing, key, concatBytes([Uint8Array.of(payloadVersion), wrapped])) }
}

/** The wrapped key in a frame; `undefined` if the frame is damaged. */
export function wrappedKeyIn(hashing: Hashing, key: Uint8Array, frame: Uint8Array): Uint8Array | undefined {
  const payload = openFrame(hashing, key, frame)
  return payload !== undefined && payload.length > 1 && payload[0] === payloadVersion ? payload.subarray(1) : undefined
}

/** @throws StorageError `KeyUnavailable` if the row is missing, `RowCorrupt` if it is damaged */
export async function readDataKey(hashing: Hashing, rows: Pick<RowReader, 'get'>, blob: BlobId): Promise<Uint8Array> {
  const key = dataKeyTable.key(blob)
  const frame = await rows.get(key)
  if (frame === undefined) throw dataKeyMissing(blob)
  const wrapped = wrappedKeyIn(hashing, key, frame)
  if (wrapped === undefined) throw corruptRow(key, 'payload')
  return wrapped
}

export const dataKeyMissing = (blob: BlobId): StorageError =>
  new StorageError('KeyUnavailable', 'The data key that these bytes are encrypted with is missing.', {
    details: { blob, kind: 'missing' },
  })

/** Whether the row of a data key is missing. A keyring without a key causes the same code, but does not end the key. */
export const isDataKeyMissing = (error: unknown): boolean =>
  isStorageError(error, 'KeyUnavailable') && error.details['kind'] === 'missing'

/**
 * The row that keeps the wrapped data key of a blob. It is committed with the event that names the blob, and the
 * projection of the event that records the erasure removes it. The log cannot keep it, because an event is never
 * removed.
 */
import { concatBytes } from '../bytes/bytes.ts'
import { openFrame, sealFrame } from '../bytes/frame.ts'
import { isStorageError, StorageError } from '../base/errors.ts'
import type { BlobRef, Seal } from '../events/index.ts'
import type { BlobId, Hashing, RowChange, RowReader } from '../ports/index.ts'
import { corruptRow } from '../views/corrupt-row.ts'
import { dataKeyTable } from '../views/tables.ts'

/** The first byte of the payload. */
const payloadVersion = 1

/** The row of a wrapped data key. */
export function dataKeyRow(hashing: Hashing, blob: BlobId, wrapped: Uint8Array): RowChange {
  const key = dataKeyTable.key(blob)
  return { key, value: sealFrame(hashing, key, concatBytes([Uint8Array.of(payloadVersion), wrapped])) }
}

interface SealedBlob {
  readonly blob: Pick<BlobRef, 'id'>
  readonly sealed: Pick<Seal, 'keyCrc'>
}

/** @throws StorageError `KeyUnavailable` if the row is missing, `RowCorrupt` if it does not hold the key of the blob */
export async function readDataKey(
  hashing: Hashing,
  rows: Pick<RowReader, 'get'>,
  { blob, sealed }: SealedBlob,
): Promise<Uint8Array> {
  const key = dataKeyTable.key(blob.id)
  const frame = await rows.get(key)
  if (frame === undefined) throw dataKeyMissing(blob.id)
  const payload = openFrame(hashing, key, frame)
  if (payload === undefined) throw corruptRow(key, 'checksum')
  const [version, wrapped] = [payload[0], payload.subarray(1)]
  // A right checksum of the row is no proof: another program can compute it. The event has a checksum of the key.
  const isOfBlob = sealed.keyCrc === undefined || sealed.keyCrc === hashing.crc32(wrapped)
  if (version !== payloadVersion || wrapped.length === 0 || !isOfBlob) throw corruptRow(key, 'payload')
  return wrapped
}

export const dataKeyMissing = (blob: BlobId): StorageError =>
  new StorageError('KeyUnavailable', 'The data key that these bytes are encrypted with is missing.', {
    details: { blob, kind: 'missing' },
  })

/** Whether the row of a data key is missing. A keyring without a key causes the same code, but does not end the key. */
export const isDataKeyMissing = (error: unknown): boolean =>
  isStorageError(error, 'KeyUnavailable') && error.details['kind'] === 'missing'

/** The rows of one epoch: values in frames with a checksum, which covers the key. */
import { StorageError } from '../base/errors.ts'
import { openFrame, sealFrame } from '../bytes/frame.ts'
import { toHex } from '../bytes/hex.ts'
import type { Hashing, RowChange, RowReader } from '../ports/index.ts'
import { rowKey } from './keyspace-keys.ts'

/** The stored form of changes under keys of the caller. */
export const storedChanges = (hashing: Hashing, prefix: Uint8Array, changes: readonly RowChange[]): RowChange[] =>
  changes.map(({ key, value }) => {
    const stored = rowKey(prefix, key)
    return { key: stored, value: value === null ? null : sealFrame(hashing, stored, value) }
  })

/** Reads committed values under keys of the caller. */
export const committedValues =
  (rows: Pick<RowReader, 'get'>, hashing: Hashing, prefix: Uint8Array) =>
  async (key: Uint8Array): Promise<Uint8Array | undefined> => {
    const stored = rowKey(prefix, key)
    const frame = await rows.get(stored)
    return frame && openedValue(hashing, stored, frame)
  }

/** A copy of the value: a journal in memory returns its own bytes. @throws StorageError `RowCorrupt` */
export function openedValue(hashing: Hashing, key: Uint8Array, frame: Uint8Array): Uint8Array {
  const value = openFrame(hashing, key, frame)
  if (value !== undefined) return value.slice()
  throw new StorageError('RowCorrupt', 'A row of a keyspace is damaged.', {
    details: { key: toHex(key), kind: 'keyspace' },
  })
}

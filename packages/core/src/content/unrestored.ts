/** Bytes that a restore did not find, because they were erased in the replica: their absence is no damage. */
import { isSealed, sealFrame } from '../bytes/frame.ts'
import type { BlobId, Hashing, RowChange, RowReader } from '../ports/index.ts'
import { unrestoredTable } from '../views/tables.ts'

/** The row that says so. */
export function unrestoredRow(hashing: Hashing, id: BlobId): RowChange {
  const key = unrestoredTable.key(id)
  return { key, value: sealFrame(hashing, key, new Uint8Array(0)) }
}

export async function isUnrestored(rows: Pick<RowReader, 'get'>, hashing: Hashing, id: BlobId): Promise<boolean> {
  const key = unrestoredTable.key(id)
  const frame = await rows.get(key)
  return frame !== undefined && isSealed(hashing, key, frame)
}

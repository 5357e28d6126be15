/** Answers the requests of a worker for receipts: only the owner of the log can sign. */
import { type OwnedLog, StorageError } from '@varve/core'

/** 0 asks whether receipts can be made. @throws StorageError `NotImplemented`, and what `Receipts` throw */
export async function receiptFor({ receipts }: OwnedLog, seq: number): Promise<readonly Uint8Array[]> {
  if (receipts === undefined) throw new StorageError('NotImplemented', 'This store cannot make receipts of writes.')
  if (seq > 0) return [Buffer.from(await receipts.of(seq))]
  await receipts.ready(undefined)
  return []
}

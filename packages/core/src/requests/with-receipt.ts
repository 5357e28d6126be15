/** Writes that are acknowledged with a receipt. */
import type { ReceiptOption, WithReceipt } from '../api/types/index.ts'
import { StorageError } from '../base/errors.ts'
import type { Seq } from '../ports/index.ts'
import type { LogService } from './log-service.ts'

interface Receipted extends ReceiptOption {
  readonly signal?: AbortSignal | undefined
}

/** As `withReceipt`, for a write whose result names its event. */
export const versionWithReceipt = <R extends { readonly seq: Seq }>(
  owner: LogService,
  options: Receipted,
  write: () => Promise<R>,
): Promise<R & WithReceipt> =>
  options.receipt === true ? withReceipt(owner, options, async () => withSeq(await write())) : write()

const withSeq = <R extends { readonly seq: Seq }>(result: R) => ({ result, seq: result.seq })

/**
 * Writes, and adds a receipt to the result if the options request one. `write` resolves with the position of its event, if there is one.
 * @throws StorageError what `Receipts.ready` throws: then nothing was written; `ReceiptFailed`; `InvalidRequest` in a transaction
 */
export async function withReceipt<R extends object>(
  owner: LogService,
  { receipt: isWanted = false, signal }: Receipted,
  write: () => Promise<{ readonly result: R; readonly seq: Seq | undefined }>,
): Promise<R & WithReceipt> {
  if (!isWanted) return (await write()).result
  if (owner.dependsOnReads === true) throw inTransaction()
  const { receipts } = owner
  if (receipts === undefined) throw noReceipts()
  await receipts.ready(signal)
  const { result, seq } = await write()
  return seq === undefined ? result : { ...result, receipt: await receipts.of(seq) }
}

const noReceipts = () => new StorageError('NotImplemented', 'This store cannot make receipts of writes.')

const inTransaction = () =>
  new StorageError(
    'InvalidRequest',
    'A write of a transaction has no receipt, because it is committed later: prove its event after the commit.',
  )

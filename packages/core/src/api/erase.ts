import type { Engine } from '../engine/engine.ts'
import { erase } from '../erase/erase.ts'
import type { PlannedUpload } from '../erase/find-uploads.ts'
import type { PlannedVersion } from '../erase/plan-erasure.ts'
import type { SweptBytes } from '../erase/swept-bytes.ts'
import { versionId } from '../naming/version-id.ts'
import type { Seq } from '../ports/index.ts'
import type { ErasureReceipt } from '../proofs/prove-erasure.ts'
import type { StoreContext } from '../requests/request-context.ts'
import { checked } from '../schema/schema.ts'
import { eraseRequest } from './arguments/erase-options.ts'
import type {
  EraseRequest,
  EraseResult,
  EraseUploadEntry,
  EraseVersionEntry,
  RefusedEraseEntry,
} from './types/index.ts'

interface Erasing {
  readonly given: EraseRequest
  /** Aborts uploads that deleted buckets left. */
  readonly clearDeleted: () => Promise<void>
  readonly deleteBytes: () => Promise<void>
  readonly purge: (bytes: SweptBytes) => Promise<boolean>
  /** @throws StorageError `ReceiptFailed` */
  readonly prove: (requests: readonly Seq[]) => Promise<ErasureReceipt>
}

export async function eraseVersions(
  engine: Engine,
  context: StoreContext,
  { given, clearDeleted, deleteBytes, purge, prove }: Erasing,
): Promise<EraseResult> {
  const request = checked('request', eraseRequest, given)
  if ((request.uploads ?? false) !== false && request.dryRun !== true) await clearDeleted()
  const { done, refused, uploads, ...result } = await erase(engine, context, { request, deleteBytes, purge })
  const { requests } = result
  const uploadEntry = await uploadEntries(engine, request, uploads)
  return {
    entries: [...done.map(versionEntry), ...uploads.done.map(uploadEntry)],
    refused: [...refused.map(refusedVersion), ...uploads.refused.map((upload) => changed(uploadEntry(upload)))],
    ...result,
    ...(request.receipt === true && requests.length > 0 && { receipt: (await prove(requests)).text }),
  }
}

const versionEntry = ({ key, row, isLive }: PlannedVersion): EraseVersionEntry => ({
  kind: 'version',
  key,
  versionId: versionId(row),
  seq: row.seq,
  size: row.size,
  live: isLive,
})

const refusedVersion = ({ reason = 'changed', snapshots, ...version }: PlannedVersion): RefusedEraseEntry => ({
  ...versionEntry(version),
  reason,
  ...(snapshots && { snapshots }),
})

const changed = (entry: EraseUploadEntry): RefusedEraseEntry => ({ ...entry, reason: 'changed' })

/** The secret of upload ids is read only if there are uploads. */
async function uploadEntries(
  { requests }: Engine,
  { bucket }: EraseRequest,
  { done, refused }: { readonly done: readonly PlannedUpload[]; readonly refused: readonly PlannedUpload[] },
): Promise<(upload: PlannedUpload) => EraseUploadEntry> {
  const ids = done.length + refused.length === 0 ? undefined : await requests.uploadIds()
  return ({ key, row: { seq, epoch }, parts, size, isInProgress }) => ({
    kind: 'upload',
    key,
    uploadId: ids?.idOf({ bucket, key, upload: seq, epoch }) ?? '',
    seq,
    parts,
    size,
    inProgress: isInProgress,
  })
}

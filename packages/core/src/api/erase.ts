import type { Engine } from '../engine/engine.ts'
import { erase } from '../erase/erase.ts'
import type { PlannedVersion } from '../erase/plan-erasure.ts'
import { versionId } from '../naming/version-id.ts'
import type { Seq } from '../ports/index.ts'
import type { ErasureReceipt } from '../proofs/prove-erasure.ts'
import type { StoreContext } from '../requests/request-context.ts'
import { checked } from '../schema/schema.ts'
import { eraseRequest } from './arguments/erase-options.ts'
import type { EraseEntry, EraseRequest, EraseResult } from './types/index.ts'

interface Erasing {
  readonly given: EraseRequest
  readonly deleteBytes: () => Promise<void>
  /** @throws StorageError `ReceiptFailed` */
  readonly prove: (requests: readonly Seq[]) => Promise<ErasureReceipt>
}

export async function eraseVersions(
  engine: Engine,
  context: StoreContext,
  { given, deleteBytes, prove }: Erasing,
): Promise<EraseResult> {
  const request = checked('request', eraseRequest, given)
  const { done, refused, ...result } = await erase(engine, context, { request, deleteBytes })
  const { requests } = result
  return {
    entries: done.map(entryOf),
    refused: refused.map(({ reason = 'changed', snapshots, ...version }) => ({
      ...entryOf(version),
      reason,
      ...(snapshots && { snapshots }),
    })),
    ...result,
    ...(request.receipt === true && requests.length > 0 && { receipt: (await prove(requests)).text }),
  }
}

const entryOf = ({ key, row, isLive }: PlannedVersion): EraseEntry => ({
  key,
  versionId: versionId(row),
  seq: row.seq,
  size: row.size,
  live: isLive,
})

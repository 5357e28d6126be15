import type { Engine } from '../engine/engine.ts'
import { erase } from '../erase/erase.ts'
import type { PlannedVersion } from '../erase/plan-erasure.ts'
import { versionId } from '../naming/version-id.ts'
import type { StoreContext } from '../requests/request-context.ts'
import { checked } from '../schema/schema.ts'
import { eraseRequest } from './arguments/erase-options.ts'
import type { EraseEntry, EraseRequest, EraseResult } from './types/index.ts'

export async function eraseVersions(
  engine: Engine,
  context: StoreContext,
  { given, deleteBytes }: { readonly given: EraseRequest; readonly deleteBytes: () => Promise<void> },
): Promise<EraseResult> {
  const request = checked('request', eraseRequest, given)
  const { done, refused, ...result } = await erase(engine, context, { request, deleteBytes })
  return {
    entries: done.map(entryOf),
    refused: refused.map(({ reason = 'changed', snapshots, ...version }) => ({
      ...entryOf(version),
      reason,
      ...(snapshots && { snapshots }),
    })),
    ...result,
  }
}

const entryOf = ({ key, row, isLive }: PlannedVersion): EraseEntry => ({
  key,
  versionId: versionId(row),
  seq: row.seq,
  size: row.size,
  live: isLive,
})

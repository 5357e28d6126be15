import { merge } from '../merge/merge.ts'
import type { BothChanged } from '../merge/plan-merge.ts'
import type { StoreContext } from '../requests/request-context.ts'
import type { TaskRunner } from '../tasks/commit-parts.ts'
import { diffedVersion } from './diff.ts'
import { restoredEntry } from './restore.ts'
import type { MergeConflict, MergeRequest, MergeResult } from './types/index.ts'

export async function mergeFork(
  runner: TaskRunner,
  context: StoreContext,
  request: MergeRequest,
): Promise<MergeResult> {
  const { planned, id, plan, done, conflicts } = await merge(runner, context, request)
  return {
    bucket: plan.bucket,
    planned,
    ...(id !== undefined && { id }),
    entries: done.map(restoredEntry),
    conflicts: plan.conflicts.map(conflictOf),
    refused: conflicts.map(restoredEntry),
    erased: plan.erased.map(restoredEntry),
  }
}

const conflictOf = ({ key, before, fork, base }: BothChanged): MergeConflict => ({
  key,
  ...(before && { before: diffedVersion(key, before) }),
  ...(fork && { fork: diffedVersion(key, fork) }),
  ...(base && { base: diffedVersion(key, base) }),
})

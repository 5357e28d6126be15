/** Merges a fork into the bucket that it began as: plans outside the writer turn, and commits what is still as planned. */
import type { MergeRequest } from '../api/types/index.ts'
import { StorageError } from '../base/errors.ts'
import type { Engine } from '../engine/engine.ts'
import { assertMayPlan, newestPosition } from '../engine/begin-plan.ts'
import type { Seq } from '../ports/index.ts'
import { keepingSource } from '../requests/find-source.ts'
import { withRows } from '../requests/read-scope.ts'
import type { StoreContext } from '../requests/request-context.ts'
import { assertOneCommit, type Committed, commitRestored } from '../restore/commit-restored.ts'
import { type MergePlan, planMerge } from './plan-merge.ts'

export interface Merged extends Committed {
  readonly planned: Seq
  readonly plan: MergePlan
}

/** @throws StorageError `NoSuchBucket`, `NotAFork`, `MergeConflict`, `MergeTooLarge` */
export async function merge(engine: Engine, context: StoreContext, request: MergeRequest): Promise<Merged> {
  const { fork, prefix = '', dryRun = false, onConflict = 'fail', inParts = false, signal } = request
  const { requests } = engine
  await assertMayPlan(engine, dryRun)
  const planned = await newestPosition(engine)
  // The bytes of the fork stay until the new versions have them.
  return keepingSource(requests, { bucket: fork, key: '', at: planned }, async () => {
    const plan = await withRows({ requests, context }, (reader) =>
      planMerge(requests, reader, {
        fork,
        prefix,
        planned,
        force: onConflict === 'force',
        at: engine.ports.clock.now(),
        signal,
        turn: () => engine.turns.wait(),
      }),
    )
    if (dryRun) return { planned, plan, done: plan.keys, conflicts: [] }
    if (onConflict === 'fail' && plan.conflicts.length + plan.erased.length > 0) throw mergeConflict(plan)
    assertOneCommit('merge', plan.keys, inParts)
    const { bucket, bucketSince, keys } = plan
    const changes = { bucket, source: fork, plan: { commands: [], bucketSince, keys } }
    const options = { ...request, onConflict: onConflict === 'fail' ? onConflict : ('skip' as const) }
    const committed = await commitRestored(engine, context, options, {
      kind: 'merge',
      to: planned,
      planned,
      ...changes,
    })
    return { planned, plan, ...committed }
  })
}

function mergeConflict({ conflicts, erased }: MergePlan): StorageError {
  const key = conflicts[0]?.key ?? erased[0]?.restored.key
  return new StorageError(
    'MergeConflict',
    `${conflicts.length + erased.length} keys cannot be merged. Nothing was changed. Plan with dryRun to see them, or skip or force them.`,
    { details: { conflicts: conflicts.length, erased: erased.length, ...(key !== undefined && { Key: key }) } },
  )
}

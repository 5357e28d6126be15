/** Merges a fork into the bucket that it began as: plans outside the writer turn, and commits what is still as planned. */
import type { MergeRequest } from '../api/types/index.ts'
import { StorageError } from '../base/errors.ts'
import type { Engine } from '../engine/engine.ts'
import { assertMayPlan, newestPosition } from '../engine/begin-plan.ts'
import type { Seq } from '../ports/index.ts'
import { keepingSource } from '../requests/find-source.ts'
import { withRows } from '../requests/read-scope.ts'
import type { StoreContext } from '../requests/request-context.ts'
import { type Committed, commitRestored, type PlannedChanges } from '../restore/commit-restored.ts'
import { isLeft } from '../restore/restore.ts'
import type { TaskRunner } from '../tasks/commit-parts.ts'
import { assertOneCommit } from '../tasks/part-size.ts'
import type { TaskRow } from '../views/rows.ts'
import { type MergePlan, planMerge } from './plan-merge.ts'

export interface Merged extends Committed {
  readonly planned: Seq
  readonly plan: MergePlan
}

/** @throws StorageError `NoSuchBucket`, `NotAFork`, `MergeConflict`, `MergeTooLarge`; as `commitParts` */
export async function merge(runner: TaskRunner, context: StoreContext, request: MergeRequest): Promise<Merged> {
  const { engine } = runner
  const { dryRun = false } = request
  await assertMayPlan(engine, dryRun)
  const planned = await newestPosition(engine)
  return planning(engine, context, { request, planned }, async (plan) => {
    if (dryRun) return { planned, plan, done: plan.keys, conflicts: [] }
    assertMergeable(plan, request)
    assertOneCommit('merge', plan.keys.length, request)
    return { planned, plan, ...(await commit(runner, context, request, { planned, plan })) }
  })
}

/** Makes the same plan again, and takes what is not behind the task yet. @throws StorageError as `merge` */
export async function resumeMerge(
  runner: TaskRunner,
  context: StoreContext,
  request: MergeRequest,
  task: TaskRow,
): Promise<void> {
  const { planned } = task
  await planning(runner.engine, context, { request, planned }, async (plan) => {
    assertMergeable(plan, request)
    const rest = { ...plan, keys: plan.keys.filter(isLeft(task)) }
    await commit(runner, context, request, { planned, plan: rest, resumed: task })
  })
}

/** The bytes of the fork stay until the new versions have them. */
function planning<R>(
  engine: Engine,
  context: StoreContext,
  { request, planned }: { readonly request: MergeRequest; readonly planned: Seq },
  use: (plan: MergePlan) => Promise<R>,
): Promise<R> {
  const { requests } = engine
  const { fork, prefix = '', onConflict, signal } = request
  return keepingSource(requests, { bucket: fork, key: '', at: planned }, async () => {
    const plan = await withRows({ requests, context }, (reader) =>
      planMerge(requests, reader, {
        fork,
        prefix,
        planned,
        signal,
        force: onConflict === 'force',
        at: engine.ports.clock.now(),
        turn: () => engine.turns.wait(),
      }),
    )
    return use(plan)
  })
}

function commit(
  runner: TaskRunner,
  context: StoreContext,
  request: MergeRequest,
  { planned, plan, resumed }: Pick<PlannedChanges, 'planned' | 'resumed'> & { readonly plan: MergePlan },
): Promise<Committed> {
  const { bucket, bucketSince, keys } = plan
  return commitRestored(runner, context, {
    kind: 'merge',
    request,
    skips: request.onConflict === 'skip' || request.onConflict === 'force',
    to: planned,
    planned,
    bucket,
    source: request.fork,
    plan: { commands: [], bucketSince, keys },
    ...(resumed && { resumed }),
  })
}

function assertMergeable({ conflicts, erased }: MergePlan, { onConflict = 'fail' }: MergeRequest): void {
  if (onConflict !== 'fail' || conflicts.length + erased.length === 0) return
  const key = conflicts[0]?.key ?? erased[0]?.restored.key
  throw new StorageError(
    'MergeConflict',
    `${conflicts.length + erased.length} keys cannot be merged. Nothing was changed.`,
    { details: { conflicts: conflicts.length, erased: erased.length, ...(key !== undefined && { Key: key }) } },
  )
}

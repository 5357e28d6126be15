/** Restores the objects of a bucket: plans outside the writer turn, and commits what is still as planned. */
import type { RestoreRequest } from '../api/types/index.ts'
import type { Engine } from '../engine/engine.ts'
import { assertMayPlan, newestPosition } from '../engine/begin-plan.ts'
import type { Seq } from '../ports/index.ts'
import { objectErased } from '../content/manifests.ts'
import { keepingSource } from '../requests/find-source.ts'
import type { StoreContext } from '../requests/request-context.ts'
import { withRows } from '../requests/read-scope.ts'
import { assertOneCommit, commitRestored } from './commit-restored.ts'
import { type Plan, planRestore } from './plan-restore.ts'
import type { PlannedKey } from './planner.ts'

export interface Restored {
  readonly to: Seq
  readonly planned: Seq
  readonly id?: string
  readonly plan: Plan
  readonly done: readonly PlannedKey[]
  readonly conflicts: readonly PlannedKey[]
}

/**
 * @throws StorageError `NoSuchBucket`, `RestoreConflict`, `RestoreTooLarge`, `ObjectErased` for a strict restore; as
 * `positionOf` for the moment
 */
export async function restore(engine: Engine, context: StoreContext, request: RestoreRequest): Promise<Restored> {
  const { dryRun = false, strict = false, inParts = false } = request
  const { requests } = engine
  await assertMayPlan(engine, dryRun)
  const to = await engine.positionOf(request.to)
  // The bytes of then stay until the new versions have them.
  return keepingSource(requests, { bucket: request.bucket, key: '', at: to }, async () => {
    const planned = await newestPosition(engine)
    const plan = await withRows({ requests, context }, (reader) =>
      planRestore(requests, reader, {
        bucket: request.bucket,
        prefix: request.prefix ?? '',
        keys: request.keys,
        to,
        settings: request.settings ?? false,
        deletedBucket: request.deletedBucket ?? false,
        planned,
        at: engine.ports.clock.now(),
        signal: request.signal,
        turn: () => engine.turns.wait(),
      }),
    )
    if (strict && plan.erased.length > 0) throw objectErased()
    if (dryRun) return { to, planned, plan, done: plan.keys, conflicts: [] }
    assertOneCommit('restore', plan.keys, inParts)
    const { bucket, ...options } = request
    const committed = await commitRestored(engine, context, options, { kind: 'restore', to, planned, bucket, plan })
    return { to, planned, plan, ...committed }
  })
}

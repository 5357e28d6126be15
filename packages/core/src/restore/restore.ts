/** Restores the objects of a bucket: plans outside the writer turn, and commits what is still as planned. */
import type { RestoreRequest } from '../api/types/index.ts'
import { compareKeys } from '../bytes/compare-keys.ts'
import type { Engine } from '../engine/engine.ts'
import { assertMayPlan, newestPosition } from '../engine/begin-plan.ts'
import { stateAt } from '../diff/two-states.ts'
import type { RowReader, Seq } from '../ports/index.ts'
import { objectErased } from '../content/manifests.ts'
import { keepingSource } from '../requests/find-source.ts'
import type { StoreContext } from '../requests/request-context.ts'
import { withRows } from '../requests/read-scope.ts'
import type { TaskRunner } from '../tasks/commit-parts.ts'
import { assertOneCommit } from '../tasks/part-size.ts'
import type { TaskRow } from '../views/rows.ts'
import { type Committed, commitRestored } from './commit-restored.ts'
import { type Plan, planRestore } from './plan-restore.ts'

export interface Restored extends Committed {
  readonly to: Seq
  readonly planned: Seq
  readonly plan: Plan
}

/** The two positions that a plan compares. */
interface Compared {
  readonly to: Seq
  readonly planned: Seq
}

/**
 * @throws StorageError `NoSuchBucket`, `RestoreConflict`, `RestoreTooLarge`, `ObjectErased` for a strict restore; as
 * `positionOf` for the moment, and as `commitParts`
 */
export async function restore(runner: TaskRunner, context: StoreContext, request: RestoreRequest): Promise<Restored> {
  const { engine } = runner
  const { dryRun = false } = request
  await assertMayPlan(engine, dryRun)
  const to = await engine.positionOf(request.to)
  return keepingBytes(engine, request.bucket, to, async () => {
    const planned = await newestPosition(engine)
    const compared = { to, planned }
    const plan = await withRows({ requests: engine.requests, context }, (reader) =>
      planOf(engine, reader, request, compared),
    )
    if (request.strict === true && plan.erased.length > 0) throw objectErased()
    if (dryRun) return { to, planned, plan, done: plan.keys, conflicts: [] }
    assertOneCommit('restore', plan.keys.length, request)
    const { bucket } = request
    const skips = skipsConflicts(request)
    const changes = { kind: 'restore', request: { ...request, to }, skips, to, planned, bucket, plan } as const
    return { to, planned, plan, ...(await commitRestored(runner, context, changes)) }
  })
}

/**
 * Makes the same plan again for the rest of a task. A bucket that came back with the first commit had no objects before, so
 * the plan of its objects begins there.
 * @throws StorageError as `restore`
 */
export async function resumeRestore(
  runner: TaskRunner,
  context: StoreContext,
  request: RestoreRequest,
  task: TaskRow,
): Promise<void> {
  const { engine } = runner
  const { bucket } = request
  const to = await engine.positionOf(request.to)
  await keepingBytes(engine, bucket, to, async () => {
    const resumed = await withRows({ requests: engine.requests, context }, async (reader) => {
      const isBack = (await rowAt(engine, reader, bucket, task.planned)) === undefined
      const planned = isBack ? task.since : task.planned
      const plan = await planOf(engine, reader, request, { to, planned })
      const bucketSince = (await rowAt(engine, reader, bucket, task.since))?.since
      return { planned, erased: plan.erased, plan: { commands: [], bucketSince, keys: plan.keys.filter(isLeft(task)) } }
    })
    if (request.strict === true && resumed.erased.length > 0) throw objectErased()
    const { planned, plan } = resumed
    await commitRestored(runner, context, {
      kind: 'restore',
      request,
      skips: skipsConflicts(request),
      to,
      planned,
      bucket,
      plan,
      resumed: task,
    })
  })
}

const skipsConflicts = ({ onConflict }: RestoreRequest): boolean => onConflict === 'skip'

/** Whether a key is not behind the task yet. */
export const isLeft =
  ({ after = '' }: TaskRow) =>
  ({ restored: { key } }: Plan['keys'][number]): boolean =>
    compareKeys(key, after) > 0

/** The bytes of then stay until the new versions have them. */
const keepingBytes = <R>({ requests }: Engine, bucket: string, at: Seq, work: () => Promise<R>): Promise<R> =>
  keepingSource(requests, { bucket, key: '', at }, work)

const rowAt = async ({ ports }: Engine, reader: RowReader, bucket: string, at: Seq) =>
  (await stateAt(reader, ports.hashing, bucket, at)).row

function planOf(engine: Engine, reader: RowReader, request: RestoreRequest, compared: Compared): Promise<Plan> {
  const { bucket, prefix = '', keys, settings = false, deletedBucket = false, signal } = request
  return planRestore(engine.requests, reader, {
    bucket,
    prefix,
    keys,
    settings,
    deletedBucket,
    signal,
    ...compared,
    at: engine.ports.clock.now(),
    turn: () => engine.turns.wait(),
  })
}

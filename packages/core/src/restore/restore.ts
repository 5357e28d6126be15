/** Restores the objects of a bucket: plans outside the writer turn, and commits what is still as planned. */
import { StorageError } from '../base/errors.ts'
import type { CommandShapes } from '../commands/command.ts'
import type { RestoreRequest } from '../api/types/index.ts'
import type { Engine } from '../engine/engine.ts'
import { submitTogether, type Unsigned } from '../engine/submit-together.ts'
import type { RecordedEvent } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'
import { objectErased } from '../content/manifests.ts'
import { keepingSource } from '../requests/find-source.ts'
import type { StoreContext } from '../requests/request-context.ts'
import { withRows } from '../requests/read-scope.ts'
import { type Plan, type PlannedKey, planRestore } from './plan-restore.ts'

/** The maximum number of keys in one commit. Other writers wait for it, for less than 100 ms: see ADR 36. */
const restoreKeysMax = 250

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
  engine.assertOpen()
  if (!dryRun) {
    engine.assertWritable()
    await requests.assertRoom()
  }
  const to = await engine.positionOf(request.to)
  // The bytes of then stay until the new versions have them.
  return keepingSource(requests, { bucket: request.bucket, key: '', at: to }, async () => {
    await engine.fresh()
    const planned = engine.writer.committed
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
    if (plan.keys.length > restoreKeysMax && !inParts) throw tooLarge(plan.keys.length)
    return { to, planned, plan, ...(await commitAll(engine, context, request, { to, planned, plan })) }
  })
}

const tooLarge = (keys: number): StorageError =>
  new StorageError(
    'RestoreTooLarge',
    `The restore changes ${keys} keys, and one commit takes ${restoreKeysMax}: allow several commits, or restore fewer keys.`,
    { details: { keys, max: restoreKeysMax } },
  )

type Shared = Pick<CommandShapes['RestoreObjects'], 'cause' | 'planned' | 'skips'>

async function commitAll(
  engine: Engine,
  context: StoreContext,
  { bucket, onConflict = 'fail', onProgress, signal }: RestoreRequest,
  { to, planned, plan }: { readonly to: Seq; readonly planned: Seq; readonly plan: Plan },
): Promise<Pick<Restored, 'id' | 'done' | 'conflicts'>> {
  const id = context.requestId ?? engine.ports.ids.next()
  const shared: Shared = { cause: { kind: 'restore', id, to }, planned, skips: onConflict === 'skip' }
  const ofBucket = bucketCommands(plan, shared)
  let { bucketSince } = plan
  const done: PlannedKey[] = []
  const conflicts: PlannedKey[] = []
  for (let from = 0; from < Math.max(plan.keys.length, ofBucket.length); from += restoreKeysMax) {
    signal?.throwIfAborted()
    const part = plan.keys.slice(from, from + restoreKeysMax)
    const keys = part.map(({ restored }) => restored)
    const data = { bucket, keys, bucketSince, ...shared }
    const commands: Unsigned[] = [...(from === 0 ? ofBucket : []), { type: 'RestoreObjects', data }]
    const events = await submitTogether(engine, { ...context, requestId: id }, commands)
    bucketSince ??= events[ofBucket.length - 1]?.seq
    const changed = keysOf(events)
    for (const key of part) (changed.has(key.restored.key) ? done : conflicts).push(key)
    onProgress?.({ done: from + part.length, total: plan.keys.length })
  }
  return done.length + ofBucket.length > 0 ? { id, done, conflicts } : { done, conflicts }
}

/** What the bucket is must be as planned, or there is nothing to restore into. */
const bucketCommands = ({ commands }: Plan, shared: Shared): Unsigned[] =>
  commands.map(({ type, data }) => ({ type, data: { ...data, ...shared, skips: false } }) as Unsigned)

const keysOf = (events: readonly RecordedEvent[]): ReadonlySet<string> =>
  new Set(events.flatMap(({ data }) => ('key' in data ? [data.key] : [])))

/** Restores the objects of a bucket: plans outside the writer turn, and commits what is still as planned. */
import { StorageError } from '../base/errors.ts'
import type { RestoreRequest } from '../api/types/index.ts'
import type { Engine } from '../engine/engine.ts'
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

async function commitAll(
  engine: Engine,
  context: StoreContext,
  { bucket, onConflict = 'fail', onProgress, signal }: RestoreRequest,
  { to, planned, plan }: { readonly to: Seq; readonly planned: Seq; readonly plan: Plan },
): Promise<Pick<Restored, 'id' | 'done' | 'conflicts'>> {
  const id = context.requestId ?? engine.ports.ids.next()
  const done: PlannedKey[] = []
  const conflicts: PlannedKey[] = []
  for (let from = 0; from < plan.keys.length; from += restoreKeysMax) {
    signal?.throwIfAborted()
    const part = plan.keys.slice(from, from + restoreKeysMax)
    const keys = part.map(({ restored }) => restored)
    const { bucketSince } = plan
    const command = { bucket, bucketSince, id, to, planned, keys, skips: onConflict === 'skip' }
    const changed = keysOf(await engine.requests.submit('RestoreObjects', command, { ...context, requestId: id }))
    for (const key of part) (changed.has(key.restored.key) ? done : conflicts).push(key)
    onProgress?.({ done: from + part.length, total: plan.keys.length })
  }
  return { ...(done.length > 0 && { id }), done, conflicts }
}

const keysOf = (events: readonly RecordedEvent[]): ReadonlySet<string> =>
  new Set(events.flatMap(({ data }) => ('key' in data ? [data.key] : [])))

/** Commits the keys of a restore or a merge, as many in one commit as other writers can wait for. */
import type { RestoreRequest } from '../api/types/index.ts'
import { StorageError } from '../base/errors.ts'
import type { RevertingPart } from '../commands/command.ts'
import type { Engine } from '../engine/engine.ts'
import { submitTogether, type CommandBody } from '../engine/submit-together.ts'
import type { Cause, RecordedEvent } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'
import type { StoreContext } from '../requests/request-context.ts'
import type { BucketCommand } from './plan-bucket.ts'
import type { PlannedKey } from './planner.ts'

/** The maximum number of keys in one commit. Other writers wait for it, for less than 100 ms: see ADR 36. */
const keysMax = 250

export interface PlannedChanges {
  readonly kind: Exclude<Cause['kind'], 'undo'>
  readonly to: Seq
  readonly planned: Seq
  readonly bucket: string
  /** The fork that the versions come from. Absent: they are of the bucket itself. */
  readonly source?: string
  readonly plan: {
    readonly commands: readonly BucketCommand[]
    readonly bucketSince: Seq | undefined
    readonly keys: readonly PlannedKey[]
  }
}

export interface Committed {
  /** Absent: nothing was changed. */
  readonly id?: string
  readonly done: readonly PlannedKey[]
  readonly conflicts: readonly PlannedKey[]
}

const tooLarge = { restore: 'RestoreTooLarge', merge: 'MergeTooLarge' } as const

/** @throws StorageError `RestoreTooLarge`, `MergeTooLarge` */
export function assertOneCommit(
  kind: PlannedChanges['kind'],
  { length: keys }: readonly PlannedKey[],
  inParts: boolean,
): void {
  if (keys <= keysMax || inParts) return
  const message = `The ${kind} changes ${keys} keys, and one commit takes ${keysMax}: allow several commits, or choose fewer keys.`
  throw new StorageError(tooLarge[kind], message, { details: { keys, max: keysMax } })
}

/** @throws StorageError `RestoreConflict`, `MergeConflict`, unless conflicts are skipped */
export async function commitRestored(
  engine: Engine,
  context: StoreContext,
  { onConflict = 'fail', onProgress, signal }: Pick<RestoreRequest, 'onConflict' | 'onProgress' | 'signal'>,
  { kind, to, planned, bucket, source, plan }: PlannedChanges,
): Promise<Committed> {
  const id = context.requestId ?? engine.ports.ids.next()
  const shared: RevertingPart = { cause: { kind, id, to }, planned, skips: onConflict === 'skip' }
  const ofBucket = bucketCommands(plan, shared)
  let { bucketSince } = plan
  const done: PlannedKey[] = []
  const conflicts: PlannedKey[] = []
  for (let from = 0; from < Math.max(plan.keys.length, ofBucket.length); from += keysMax) {
    signal?.throwIfAborted()
    const part = plan.keys.slice(from, from + keysMax)
    const keys = part.map(({ restored }) => restored)
    const data = { bucket, source, keys, bucketSince, ...shared }
    const commands: CommandBody[] = [...(from === 0 ? ofBucket : []), { type: 'RestoreObjects', data }]
    const events = await submitTogether(engine, { ...context, requestId: id }, commands)
    bucketSince ??= events[ofBucket.length - 1]?.seq
    const changed = keysOf(events)
    for (const key of part) (changed.has(key.restored.key) ? done : conflicts).push(key)
    onProgress?.({ done: from + part.length, total: plan.keys.length })
  }
  return done.length + ofBucket.length > 0 ? { id, done, conflicts } : { done, conflicts }
}

/** What the bucket is must be as planned, or there is nothing to restore into. */
const bucketCommands = ({ commands }: PlannedChanges['plan'], shared: RevertingPart): CommandBody[] =>
  commands.map(({ type, data }) => ({ type, data: { ...data, ...shared, skips: false } }) as CommandBody)

const keysOf = (events: readonly RecordedEvent[]): ReadonlySet<string> =>
  new Set(events.flatMap(({ data }) => ('key' in data ? [data.key] : [])))

/** Commits the keys of a restore or a merge. */
import type { RevertingPart } from '../commands/command.ts'
import type { CommandBody } from '../engine/submit-together.ts'
import type { Cause, RecordedEvent } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'
import type { StoreContext } from '../requests/request-context.ts'
import { commitParts, type PartedRequest, type TaskRunner } from '../tasks/commit-parts.ts'
import type { TaskRow } from '../views/rows.ts'
import type { BucketCommand } from './plan-bucket.ts'
import type { PlannedKey } from './planner.ts'

export interface PlannedChanges {
  readonly kind: Exclude<Cause['kind'], 'undo'>
  /** What was requested, with positions for moments. */
  readonly request: PartedRequest
  /** Leaves out what was changed since the plan. Otherwise it is refused. */
  readonly skips: boolean
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
  /** Present if it goes on after a crash. */
  readonly resumed?: TaskRow
}

export interface Committed {
  /** Absent: nothing was changed. */
  readonly id?: string
  readonly done: readonly PlannedKey[]
  readonly conflicts: readonly PlannedKey[]
}

/** @throws StorageError `RestoreConflict`, `MergeConflict`, unless conflicts are skipped; as `commitParts` */
export async function commitRestored(
  runner: TaskRunner,
  context: StoreContext,
  { kind, request, skips, to, planned, bucket, source, plan, resumed }: PlannedChanges,
): Promise<Committed> {
  const id = context.requestId ?? runner.engine.ports.ids.next()
  const shared: RevertingPart = { cause: { kind, id, to }, planned, skips }
  const ofBucket = bucketCommands(plan, shared)
  let { bucketSince } = plan
  const done: PlannedKey[] = []
  const conflicts: PlannedKey[] = []
  await commitParts(runner, context, {
    id,
    kind,
    planned,
    keeps: to,
    request,
    resumed,
    changes: plan.keys,
    afterOf: ({ restored }) => restored.key,
    commandsOf(part, isFirst) {
      const keys = part.map(({ restored }) => restored)
      const restore: CommandBody = {
        type: 'RestoreObjects',
        data: { bucket, source, keys, bucketSince, ...shared },
      }
      return [...(isFirst ? ofBucket : []), ...(keys.length > 0 ? [restore] : [])]
    },
    committed(part, events) {
      bucketSince ??= events[ofBucket.length - 1]?.seq
      const changed = keysOf(events)
      for (const key of part) (changed.has(key.restored.key) ? done : conflicts).push(key)
    },
  })
  return done.length + ofBucket.length > 0 ? { id, done, conflicts } : { done, conflicts }
}

/** What the bucket is must be as planned, or there is nothing to restore into. */
const bucketCommands = ({ commands }: PlannedChanges['plan'], shared: RevertingPart): CommandBody[] =>
  commands.map(({ type, data }) => ({ type, data: { ...data, ...shared, skips: false } }) as CommandBody)

const keysOf = (events: readonly RecordedEvent[]): ReadonlySet<string> =>
  new Set(events.flatMap(({ data }) => ('key' in data ? [data.key] : [])))

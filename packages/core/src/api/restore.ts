import type { Plan } from '../restore/plan-restore.ts'
import type { PlannedKey } from '../restore/planner.ts'
import { restore } from '../restore/restore.ts'
import type { ObjectDifference } from '../diff/two-states.ts'
import type { StoreContext } from '../requests/request-context.ts'
import type { TaskRunner } from '../tasks/commit-parts.ts'
import { diffedVersion } from './diff.ts'
import type { RestoreEntry, RestoreRequest, RestoreResult } from './types/index.ts'

export async function restoreObjects(
  runner: TaskRunner,
  context: StoreContext,
  request: RestoreRequest,
): Promise<RestoreResult> {
  const { to, planned, id, plan, done, conflicts } = await restore(runner, context, request)
  return {
    to,
    planned,
    ...(id !== undefined && { id }),
    ...deletedBucketOf(plan),
    settings: plan.settings,
    settingsLeft: plan.left,
    entries: done.map(restoredEntry),
    erased: plan.erased.map((difference) => described('add', difference)),
    conflicts: conflicts.map(restoredEntry),
  }
}

function deletedBucketOf({ commands }: Plan): Pick<RestoreResult, 'deletedBucket'> {
  const [first] = commands
  return first?.type === 'RestoreBucket' ? { deletedBucket: first.data.deleted } : {}
}

export function restoredEntry({ restored: { object, newest }, difference }: PlannedKey): RestoreEntry {
  if (object === undefined) return described('remove', difference)
  return described(object.version === newest ? 'annotate' : 'add', difference)
}

function described(action: RestoreEntry['action'], { key, before, after, aspects }: ObjectDifference): RestoreEntry {
  return {
    key,
    action,
    ...(before && { past: diffedVersion(key, before) }),
    ...(after && { present: diffedVersion(key, after) }),
    aspects,
  }
}

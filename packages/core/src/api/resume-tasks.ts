/** Carries on tasks that a crash or a close has interrupted. */
import { resumeMerge } from '../merge/merge.ts'
import { resumeRestore } from '../restore/restore.ts'
import { checked } from '../schema/schema.ts'
import { endTask, failure, goesOn } from '../tasks/commit-parts.ts'
import { readTasks } from '../tasks/read-tasks.ts'
import { resumeUndo } from '../undo/undo.ts'
import type { TaskRow } from '../views/rows.ts'
import { mergeRequest } from './arguments/merge-options.ts'
import { waited } from '../jobs/repeat.ts'
import { restoreRequest } from './arguments/restore-options.ts'
import { undoRequest } from './arguments/undo-options.ts'
import type { Opened } from './opened.ts'

/** Milliseconds between two looks for tasks of engines on the same log that work no more. */
const lookMs = 2000

/** Ends when no task is left. Where others have the log open too, it ends with the store. Errors are in the status of the job. */
export async function resumeTasks(opened: Opened): Promise<void> {
  const { engine, jobs } = opened
  const { timer } = engine.ports
  for (;;) {
    await resumeAll(opened).catch(() => undefined)
    if (!engine.sharing.isShared || timer === undefined) return
    if (!(await waited(timer, lookMs, jobs.signal))) return
    if (jobs.signal.aborted || engine.state !== 'open') return
  }
}

async function resumeAll(opened: Opened): Promise<void> {
  for (const { id } of await readTasks(opened.engine)) {
    if (opened.tasks.isRunning(id)) continue
    await opened.tasks.run(id, () => resumeNow(opened, id)).catch(() => undefined)
  }
}

/** Called with the lease of the job, so no other engine carries out the task. It may have ended meanwhile. */
async function resumeNow(opened: Opened, id: string): Promise<void> {
  const task = (await readTasks(opened.engine)).find((row) => row.id === id)
  if (task === undefined) return
  try {
    await resume(opened, task)
  } catch (error) {
    if (!goesOn(error)) await endTask(opened.engine, { by: task.by }, failure(id, error)).catch(() => undefined)
    throw error
  }
}

/** In the name of who began it, although the rights may have changed since: they counted for the whole request. */
function resume(opened: Opened, task: TaskRow): Promise<void> {
  const context = { by: task.by, requestId: task.id }
  const given = { ...(task.request as object), signal: opened.jobs.signal }
  switch (task.kind) {
    case 'restore':
      return resumeRestore(opened, context, checked('request', restoreRequest, given), task)
    case 'undo':
      return resumeUndo(opened, context, checked('request', undoRequest, given), task)
    case 'merge':
      return resumeMerge(opened, context, checked('request', mergeRequest, given), task)
    default:
      return task.kind satisfies never
  }
}

/** Tasks of the server that go on: those that this page began before a reload, and those of others. */

import { countText } from '../components/formats.ts'
import type { Toast } from '../components/toasts.tsx'
import { endOfTask, listTasks, stopTask, type Task } from '../control/tasks.ts'
import type { Connection } from '../transport/connection.ts'
import { hasCode, ServerError } from '../transport/failures.ts'
import { startWork, type WorkControl } from './works.ts'

/** The ids of the tasks that a work of this page shows. */
export const followed = new Set<string>()

/** What is known of a task while it is followed. */
export type FollowedTask = Pick<Task, 'id' | 'kind' | 'seq' | 'done' | 'total'>

/** Shows the tasks of the server that no work of this page shows. A key that may not see them sees none. */
export async function findTasks(connection: Connection): Promise<void> {
  for (const task of await listTasks(connection)) {
    if (followed.has(task.id)) continue
    followed.add(task.id)
    startWork({ title: titleOf(task), needsPage: false, run: (control) => followTask(connection, task, control) })
  }
}

const doing = { restore: 'Restoring', undo: 'Undoing changes in', merge: 'Merging' } as const

function titleOf({ kind, request: { bucket, prefix = '', fork }, startedBy }: Task): string {
  const place = bucket === undefined ? (fork ?? 'the store') : `${bucket}${prefix === '' ? '' : `/${prefix}`}`
  return `${doing[kind]} ${place}, begun by ${startedBy.name}`
}

export const progressOf = ({ done, total }: Pick<Task, 'done' | 'total'>): [text: string, share: number] => [
  `${done.toLocaleString()} of ${total.toLocaleString()}`,
  total === 0 ? 0 : done / total,
]

/** A task, while it goes on. */
export const taskNow = async (connection: Connection, id: string): Promise<Task | undefined> =>
  (await listTasks(connection)).find((task) => task.id === id)

const pollMs = 1000

/** Looks at a task now and then, until the server does not have it any more. */
export async function followTask(
  connection: Connection,
  { id, ...known }: FollowedTask,
  control: WorkControl,
): Promise<Toast> {
  let task: FollowedTask = { id, ...known }
  for (;;) {
    control.progress(...progressOf(task))
    await stopOrTime(control.signal)
    if (control.signal.aborted) await stopUnlessEnded(connection, id)
    const now = await unlessAway(() => taskNow(connection, id))
    if (now === undefined || control.isOver()) return toastOfEnd(connection, task)
    if (now !== 'away') task = now
  }
}

async function stopUnlessEnded(connection: Connection, id: string): Promise<void> {
  await unlessAway(() => stopTask(connection, id)).catch((error: unknown) => {
    if (!hasCode(error, 'NoSuchTask')) throw error
  })
}

/** While the server is away, the console asks for it: see `reachability.ts`. */
async function unlessAway<T>(call: () => Promise<T>): Promise<T | 'away'> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof ServerError) throw error
    return 'away'
  }
}

/** Waits for the next look, or until the person stops the work. */
const stopOrTime = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, pollMs)
    if (!signal.aborted) signal.addEventListener('abort', () => resolve(), { once: true })
  })

const deeds = { restore: 'restored', undo: 'undone', merge: 'merged' } as const

/** What a task did, as the log has it. */
export async function toastOfEnd(connection: Connection, task: FollowedTask): Promise<Toast> {
  const { kind, total } = task
  const { outcome, code, done } = await endOfTask(connection, task)
  const made = `${done.toLocaleString()} of ${countText(total, 'change')}`
  if (outcome === 'stopped') return { text: `Stopped: ${made} were ${deeds[kind]}, the others were not.`, stays: true }
  if (outcome === 'failed')
    return { kind: 'failed', text: `It failed (${code ?? ''}): ${made} were ${deeds[kind]}, the others were not.` }
  return { text: `${deeds[kind].replace(/^./, (first) => first.toUpperCase())}: ${countText(total, 'change')}.` }
}

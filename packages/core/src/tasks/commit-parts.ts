/**
 * Commits what a restore, a merge or an undo has planned. What fits into one commit is atomic. More is a task: its first
 * commit records what was requested, each further one how far it is, and the last one its end. So a crash leaves a task that
 * goes on when the store is opened again.
 */
import type { Cancelable, Parted } from '../api/types/index.ts'
import { isStorageError } from '../base/errors.ts'
import { type CommandBody, submitTogether } from '../engine/submit-together.ts'
import type { Engine } from '../engine/engine.ts'
import type { RecordedEvent, TaskEnded, TaskStarted } from '../events/index.ts'
import type { StoreContext } from '../requests/request-context.ts'
import type { TaskRow } from '../views/rows.ts'
import { partsOf } from './part-size.ts'
import { taskRequest } from './task-request.ts'
import type { TaskSet } from './task-set.ts'

/** What carries tasks out. */
export interface TaskRunner {
  readonly engine: Engine
  readonly tasks: TaskSet
}

export interface PlannedWork<C> extends Pick<TaskStarted, 'id' | 'kind' | 'planned' | 'keeps'> {
  /** What was requested, with positions for moments, and how it may be divided. */
  readonly request: PartedRequest
  /** What is left of it. */
  readonly changes: readonly C[]
  /** Present if it goes on after a crash. */
  readonly resumed?: TaskRow | undefined
  /** The key that the last change of a part belongs to, if changes are in the order of their keys. */
  afterOf(change: C): string | undefined
  commandsOf(part: readonly C[], isFirst: boolean): readonly CommandBody[]
  committed(part: readonly C[], events: readonly RecordedEvent[]): void
}

export interface PartedRequest extends Parted, Cancelable {}

/** @throws StorageError `TaskExists`, `TooManyTasks`, `TaskStopped`; what the rules of the commands throw; the reason of the signal */
export async function commitParts<C>(
  { engine, tasks }: TaskRunner,
  given: StoreContext,
  work: PlannedWork<C>,
): Promise<void> {
  const { id, request, resumed } = work
  const context = { ...given, requestId: id }
  const parts = partsOf(work.changes, request)
  const [only] = parts
  const task = new Task(engine, context, work, tasks.closing)
  if (resumed !== undefined) return task.commit(parts)
  if (parts.length > 1) return tasks.run(id, () => task.commit(parts))
  request.signal?.throwIfAborted()
  const commands = only === undefined ? [] : work.commandsOf(only, true)
  if (only === undefined || commands.length === 0) return
  work.committed(only, await submitTogether(engine, context, commands))
  request.onProgress?.({ done: only.length, total: only.length })
}

/** Records the end of a task that cannot be carried out. */
export async function endTask(
  engine: Engine,
  context: StoreContext,
  end: TaskEnded & { readonly from?: number },
): Promise<void> {
  await submitTogether(engine, { ...context, requestId: context.requestId ?? end.id }, [{ type: 'EndTask', data: end }])
}

/** Whether the task goes on later: the store cannot be written to now, or somebody else knows of its end. */
export const goesOn = (error: unknown): boolean =>
  isStorageError(error, 'StoreClosed', 'StoreFailed', 'JournalFailed', 'JournalClosed', 'LeaseHeld', 'LeaseLost') ||
  isStorageError(error, 'TaskStopped', 'ReadOnly')

export const failure = (id: string, error: unknown): TaskEnded => ({
  id,
  outcome: 'failed',
  code: isStorageError(error) ? error.code : 'InternalError',
})

class Task<C> {
  readonly #engine: Engine
  readonly #context: StoreContext
  readonly #work: PlannedWork<C>
  /** Aborts when the store closes: the task goes on when it is opened again. */
  readonly #closing: AbortSignal
  readonly #total: number
  /** `undefined` before the first commit. */
  #done: number | undefined

  constructor(engine: Engine, context: StoreContext, work: PlannedWork<C>, closing: AbortSignal) {
    this.#engine = engine
    this.#context = context
    this.#work = work
    this.#closing = closing
    this.#done = work.resumed?.done
    this.#total = (this.#done ?? 0) + work.changes.length
  }

  async commit(parts: readonly (readonly C[])[]): Promise<void> {
    const { signal, onProgress } = this.#work.request
    try {
      for (const [i, part] of parts.entries()) {
        this.#closing.throwIfAborted()
        signal?.throwIfAborted()
        await this.#commitPart(part, i === parts.length - 1)
        onProgress?.({ done: this.#done ?? 0, total: this.#total })
      }
    } catch (error) {
      await this.#endAfter(error)
      throw error
    }
  }

  async #commitPart(part: readonly C[], isLast: boolean): Promise<void> {
    const commands = [...this.#work.commandsOf(part, this.#done === undefined), this.#markOf(part, isLast)]
    this.#work.committed(part, await submitTogether(this.#engine, this.#context, commands))
    this.#done = (this.#done ?? 0) + part.length
  }

  #markOf(part: readonly C[], isLast: boolean): CommandBody {
    const { id, kind, planned, keeps, request } = this.#work
    const from = this.#done
    const done = (from ?? 0) + part.length
    const last = part.at(-1)
    const after = last === undefined ? undefined : this.#work.afterOf(last)
    const progress = { id, done, ...(after !== undefined && { after }) }
    if (from === undefined)
      return {
        type: 'StartTask',
        data: { ...progress, kind, planned, keeps, total: this.#total, request: taskRequest(request) },
      }
    if (isLast) return { type: 'EndTask', data: { id, outcome: 'done', from } }
    return { type: 'ContinueTask', data: { ...progress, from } }
  }

  async #endAfter(error: unknown): Promise<void> {
    const from = this.#done
    if (from === undefined || goesOn(error)) return
    const { id, request } = this.#work
    const isStopped = request.signal?.aborted === true
    const end = isStopped ? ({ id, outcome: 'stopped' } as const) : failure(id, error)
    // Who may not go on any more still ends it. If the end cannot be recorded, the task goes on when the store is opened again.
    const { authorisation: _revoked, ...context } = this.#context
    await endTask(this.#engine, context, { ...end, from }).catch(() => undefined)
  }
}

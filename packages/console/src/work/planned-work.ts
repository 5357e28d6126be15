/** Restores, undos and merges as work of the server: a task of any size, which goes on without this page. */

import { countText } from '../components/formats.ts'
import { showToast, type Toast } from '../components/toasts.tsx'
import { controlLines } from '../control/control.ts'
import { EffectCount } from '../control/effects.ts'
import { planLine, type PlannedCall } from '../control/plans.ts'
import { stopTask } from '../control/tasks.ts'
import type { Connection } from '../transport/connection.ts'
import { hasCode, ServerError } from '../transport/failures.ts'
import { followed, followTask, progressOf, taskNow, toastOfEnd } from './follow-task.ts'
import { reasonOf, startWork, type WorkControl } from './works.ts'

export interface PlannedWork {
  readonly title: string
  readonly call: PlannedCall
  /** What to tell the person when everything was done. @default the number of changes */
  readonly doneText?: ((effects: EffectCount) => string) | undefined
  readonly onEnd?: (() => void) | undefined
}

/** Changes of others stay. */
export function startPlannedWork(connection: Connection, { onEnd, ...work }: PlannedWork): void {
  startWork({
    title: work.title,
    needsPage: false,
    onEnd,
    run: (control) => new Carrying(connection, work, control).end(),
  })
}

/** Takes back what requests of this page did. The plan is of the server, however many requests they are. */
export const undoAction = (
  connection: Connection,
  requestIds: readonly string[],
  { title, doneText }: Pick<PlannedWork, 'title' | 'doneText'>,
): NonNullable<Toast['action']> => ({
  label: 'Undo',
  run: () => startPlannedWork(connection, { title, doneText, call: { operation: 'undo', request: { requestIds } } }),
})

class Carrying {
  readonly #connection: Connection
  readonly #work: PlannedWork
  readonly #control: WorkControl
  readonly #effects = new EffectCount()
  #conflicts = 0
  /** The id of the task, once the answer has begun. */
  #id: string | undefined
  #done = 0
  #total = 0
  /** The position of its first event, if that was looked up. */
  #seq = 1
  #isStopping = false

  constructor(connection: Connection, work: PlannedWork, control: WorkControl) {
    this.#connection = connection
    this.#work = work
    this.#control = control
  }

  async end(): Promise<Toast> {
    const { operation } = this.#work.call
    this.#control.signal.addEventListener('abort', () => void this.#stop())
    this.#control.progress('Making the plan')
    try {
      await this.#readLines()
    } catch (error) {
      const isPart = this.#id !== undefined && this.#done > 0
      if (!isPart || this.#id === undefined) throw error
      const task = { id: this.#id, kind: operation, done: this.#done, total: this.#total, seq: this.#seq }
      // Without an answer of the server, the task goes on there.
      if (!(error instanceof ServerError)) return followTask(this.#connection, task, this.#control)
      if (hasCode(error, 'StoreClosed')) return followTask(this.#connection, task, this.#control)
      return toastOfEnd(this.#connection, task)
    }
    if (!this.#control.isOver()) this.#showConflicts()
    return { text: this.#doneText() }
  }

  async #readLines(): Promise<void> {
    const { operation, request } = this.#work.call
    const json = { ...request, onConflict: 'skip', inParts: true, detached: true }
    const onAnswer = (id: string | undefined): void => {
      this.#id = id
      if (id !== undefined) followed.add(id)
    }
    for await (const line of controlLines(this.#connection, 'POST', operation, { json, shape: planLine, onAnswer })) {
      if (line.entry !== undefined) this.#effects.add(line.entry)
      if (line.conflict !== undefined || line.refused !== undefined) this.#conflicts++
      if (line.progress === undefined) continue
      this.#done = line.progress.done
      this.#total = line.progress.total
      this.#control.progress(...progressOf(line.progress))
      if (this.#control.signal.aborted) void this.#stop()
    }
  }

  /** Before its first commit there is no task to stop. */
  async #stop(): Promise<void> {
    if (this.#id === undefined || this.#done === 0 || this.#isStopping) return
    this.#isStopping = true
    try {
      this.#seq = (await taskNow(this.#connection, this.#id))?.seq ?? 1
      await stopTask(this.#connection, this.#id)
    } catch (error) {
      if (!hasCode(error, 'NoSuchTask')) showToast({ kind: 'failed', text: `It cannot be stopped. ${reasonOf(error)}` })
    }
  }

  #doneText(): string {
    const { call, doneText } = this.#work
    return doneText?.(this.#effects) ?? `${doneWords[call.operation]}: ${countText(this.#effects.total, 'change')}.`
  }

  #showConflicts(): void {
    if (this.#conflicts === 0) return
    const places = countText(this.#conflicts, 'place stays as it is', 'places stay as they are')
    showToast({ text: `${places}, because others changed them since.`, stays: true })
  }
}

const doneWords = { restore: 'Restored', undo: 'Undone', merge: 'Merged' } as const

/** Deletes chosen objects and all that is beneath chosen prefixes, in as few requests as possible. */

import { countText, visible } from '../components/formats.ts'
import type { Toast } from '../components/toasts.tsx'
import type { EffectCount } from '../control/effects.ts'
import { allPages, listObjects } from '../s3/listings.ts'
import { type DeleteFailure, deleteMax, deleteObjects } from '../s3/objects.ts'
import type { Connection } from '../transport/connection.ts'
import { undoAction } from '../work/planned-work.ts'
import { reasonOf, startWork, type WorkControl } from '../work/works.ts'

export interface DeleteTarget {
  readonly key: string
  readonly versionId?: string
}

export interface DeleteChoice {
  readonly bucket: string
  readonly targets: readonly DeleteTarget[]
  readonly prefixes: readonly string[]
}

/** Deletes as work that shows how far it is. A person can stop it, and undo what it did. */
export function startDeletion(connection: Connection, choice: DeleteChoice, onEnd: () => void): void {
  startWork({
    title: `Deleting ${chosenText(choice)}`,
    needsPage: true,
    onEnd,
    run: async (control) => new Deletion(connection, choice, control).end(),
  })
}

/** What was chosen, in words. */
export function chosenText({ targets, prefixes }: DeleteChoice): string {
  const [only = ''] = [...targets.map(({ key }) => key), ...prefixes]
  if (targets.length + prefixes.length === 1)
    return prefixes.length === 1 ? `everything in the folder ${visible(only)}` : visible(only)
  const isOfVersions = targets.some(({ versionId }) => versionId !== undefined)
  const parts = [
    ...(targets.length === 0 ? [] : [countText(targets.length, isOfVersions ? 'version' : 'object')]),
    ...(prefixes.length === 0 ? [] : [`everything in ${countText(prefixes.length, 'folder')}`]),
  ]
  return parts.join(' and ')
}

class Deletion {
  readonly #connection: Connection
  readonly #choice: DeleteChoice
  readonly #control: WorkControl
  readonly #requestIds: string[] = []
  readonly #failures: DeleteFailure[] = []
  #deleted = 0

  constructor(connection: Connection, choice: DeleteChoice, control: WorkControl) {
    this.#connection = connection
    this.#choice = choice
    this.#control = control
  }

  async end(): Promise<Toast> {
    try {
      for await (const targets of this.#batches()) await this.#remove(targets)
      return this.#toast('')
    } catch (error) {
      if (this.#control.signal.aborted) return this.#toast('Stopped. ')
      if (this.#deleted === 0) throw error
      return this.#toast(`The deletion ended early: ${reasonOf(error)} `)
    }
  }

  /** A stop takes effect between two batches, so it is known what was deleted. */
  async *#batches(): AsyncGenerator<readonly DeleteTarget[]> {
    const { bucket, targets, prefixes } = this.#choice
    const { signal } = this.#control
    for (let start = 0; start < targets.length; start += deleteMax) {
      signal.throwIfAborted()
      yield targets.slice(start, start + deleteMax)
    }
    for (const prefix of prefixes) {
      for await (const entries of allPages((from) => listObjects(this.#connection, { bucket, prefix, from, signal }))) {
        signal.throwIfAborted()
        if (entries.length > 0) yield entries.map(({ key }) => ({ key }))
      }
    }
  }

  async #remove(targets: readonly DeleteTarget[]): Promise<void> {
    const { deleted, failures, requestId } = await deleteObjects(this.#connection, this.#choice.bucket, targets)
    this.#deleted += deleted
    this.#failures.push(...failures)
    if (deleted > 0 && requestId !== undefined) this.#requestIds.push(requestId)
    this.#control.progress(`${this.#deleted.toLocaleString()} deleted`, this.#share)
  }

  /** The number of objects in folders is not known before. */
  get #share(): number | undefined {
    const { targets, prefixes } = this.#choice
    return prefixes.length > 0 ? undefined : (this.#deleted + this.#failures.length) / targets.length
  }

  /** What was done, and an offer to undo it. */
  #toast(reason: string): Toast {
    const [failure] = this.#failures
    const deleted = countText(this.#deleted, 'object')
    const failed =
      failure !== undefined &&
      `${countText(this.#failures.length, 'object')} could not be deleted. The first one: ${visible(failure.key)}: ${failure.message} (${failure.code})`
    const parts = [
      reason.trim(),
      (this.#deleted > 0 || failure === undefined) && `Deleted ${deleted}.`,
      reason !== '' && 'The others are still there.',
      failed,
    ]
    const title = `Undoing the deletion of ${deleted}`
    return {
      text: parts.filter((part) => part !== '' && part !== false).join(' '),
      ...((failure !== undefined || reason.startsWith('The')) && { kind: 'failed' }),
      ...(reason !== '' && { stays: true }),
      ...(this.#deleted > 0 && {
        action: undoAction(this.#connection, this.#requestIds, { title, doneText: undoneText }),
      }),
    }
  }
}

const undoneText = (effects: EffectCount): string =>
  effects.total === 0 ? 'There was nothing to undo any more.' : `Undone: ${effects.text}.`

/**
 * Commits in the order of their arrival, as far as the order matters. Those of the log run one after another. Those
 * outside the log run beside them, and wait only for earlier ones that change a row that they expect or change.
 */
import type { Commit } from '@varve/core'
import { rowName } from '../journal-kit/row-name.ts'

export class CommitOrder {
  #log: Promise<unknown> | undefined
  /** The last commit outside the log that changes a row. */
  readonly #changing = new Map<string, Promise<unknown>>()
  readonly #running = new Set<Promise<unknown>>()

  run(commit: Commit, work: () => Promise<void>): Promise<void> {
    const { expectedRows = [], rows, outsideLog = false } = commit
    const changed = outsideLog ? rows.map(({ key }) => rowName(key)) : []
    const before = new Set<Promise<unknown>>()
    if (this.#changing.size > 0) {
      for (const name of [...changed, ...expectedRows.map(({ key }) => rowName(key))]) {
        const change = this.#changing.get(name)
        if (change !== undefined) before.add(change)
      }
    }
    if (!outsideLog && this.#log !== undefined) before.add(this.#log)
    const done = before.size === 0 ? work() : Promise.allSettled(before).then(work)
    this.#track(done, outsideLog ? changed : undefined)
    return done
  }

  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running)
  }

  /** `changed`: rows outside the log; `undefined` for a commit of the log. */
  #track(done: Promise<void>, changed: readonly string[] | undefined): void {
    const end = (): void => {
      this.#running.delete(settled)
      if (this.#log === settled) this.#log = undefined
      for (const name of changed ?? []) if (this.#changing.get(name) === settled) this.#changing.delete(name)
    }
    const settled: Promise<unknown> = done.then(end, end)
    this.#running.add(settled)
    if (changed === undefined) this.#log = settled
    for (const name of changed ?? []) this.#changing.set(name, settled)
  }
}

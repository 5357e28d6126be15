/** What is called for every commit of an engine. */
import type { RecordedEvent } from '../events/index.ts'

export type CommitListener<C = readonly RecordedEvent[]> = (commit: C) => void

/** `C`: what a listener learns of a commit. */
export class CommitListeners<C = readonly RecordedEvent[]> {
  readonly #listeners = new Set<CommitListener<C>>()

  /** Returns a function that removes the listener. */
  add(listener: CommitListener<C>): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  notify(commit: C): void {
    for (const listener of this.#listeners) {
      try {
        listener(commit)
      } catch (error) {
        // Listeners cannot undo a commit, so their errors surface as unhandled rejections, not here.
        void Promise.reject(error instanceof Error ? error : new Error(String(error)))
      }
    }
  }
}

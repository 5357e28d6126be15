/** What is called for every commit of an engine. */
import type { RecordedEvent } from '../events/index.ts'

export type CommitListener = (events: readonly RecordedEvent[]) => void

export class CommitListeners {
  readonly #listeners = new Set<CommitListener>()

  /** Returns a function that removes the listener. */
  add(listener: CommitListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  notify(events: readonly RecordedEvent[]): void {
    for (const listener of this.#listeners) {
      try {
        listener(events)
      } catch (error) {
        // Listeners cannot undo a commit, so their errors surface as unhandled rejections, not here.
        void Promise.reject(error instanceof Error ? error : new Error(String(error)))
      }
    }
  }
}

/** Commits beside those of the commit writer, such as rows of keyspaces: they can be held back, and refused for good. */
import type { StorageError } from '../base/errors.ts'

export class CommitsBeside {
  readonly #running = new Set<Promise<unknown>>()
  #held: Promise<unknown> | undefined
  #refusal: StorageError | undefined

  /** Waits while commits are held back. @throws what `refuse` was given; what `commit` throws */
  async during<R>(commit: () => Promise<R>): Promise<R> {
    while (this.#held !== undefined) await this.#held
    if (this.#refusal !== undefined) throw this.#refusal
    const running = commit()
    this.#running.add(running)
    try {
      return await running
    } finally {
      this.#running.delete(running)
    }
  }

  /** Runs `work` once no commit is on its way. Others wait until it has ended. One at a time. */
  async heldBack<R>(work: () => Promise<R>): Promise<R> {
    const working = Promise.allSettled(this.#running).then(work)
    this.#held = working.then(
      () => undefined,
      () => undefined,
    )
    try {
      return await working
    } finally {
      this.#held = undefined
    }
  }

  /** Commits that have not begun are refused from now on. */
  refuse(refusal: StorageError): void {
    this.#refusal = refusal
  }
}

/** Bodies that are received. One that stalls must not outlive the store, so all of them can be ended at once. */
import type { StorageError } from '../base/errors.ts'
import { unlessAborted, type Wait } from './interruptible.ts'

interface Intake {
  settled: Promise<unknown>
  /** Rejects the wait for a chunk. */
  end?: ((reason: StorageError) => void) | undefined
}

export class OpenIntakes {
  readonly #open = new Set<Intake>()
  readonly #outer: OpenIntakes | undefined
  #ended: StorageError | undefined

  /** These are ended with the outer ones too. */
  constructor(outer?: OpenIntakes) {
    this.#outer = outer
  }

  get isEmpty(): boolean {
    return this.#open.size === 0
  }

  /** `receive` waits for each chunk with `wait`, which rejects when the signal aborts or all bodies are ended. */
  during<T>(signal: AbortSignal | undefined, receive: (wait: Wait) => Promise<T>): Promise<T> {
    if (this.#outer === undefined) return this.#during(unlessAborted(signal), receive)
    return this.#outer.during(signal, (wait) => this.#during(wait, receive))
  }

  async #during<T>(unlessStopped: Wait, receive: (wait: Wait) => Promise<T>): Promise<T> {
    const intake: Intake = { settled: Promise.resolve() }
    const wait: Wait = (work) =>
      new Promise((resolve, reject) => {
        if (this.#ended !== undefined) reject(this.#ended)
        intake.end = reject
        unlessStopped(work).then(resolve, reject)
      })
    this.#open.add(intake)
    try {
      const received = receive(wait)
      intake.settled = received
      return await received
    } finally {
      this.#open.delete(intake)
    }
  }

  /** Resolves when all bodies are ended and what was received of them is discarded. */
  async end(reason: StorageError): Promise<void> {
    this.#ended ??= reason
    const open = [...this.#open]
    for (const intake of open) intake.end?.(reason)
    await Promise.allSettled(open.map(({ settled }) => settled))
  }
}

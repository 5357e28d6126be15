/** The reads of a journal, which wait while its database cannot answer them. */
import type { JournalGate } from '../journal-kit/journal-gate.ts'

export type ReadGate = Pick<JournalGate, 'assertOpen' | 'read' | 'get'>

export class PausedReads implements ReadGate {
  readonly #gate: JournalGate
  #pause: Promise<void> | undefined

  constructor(gate: JournalGate) {
    this.#gate = gate
  }

  assertOpen(): void {
    this.#gate.assertOpen()
  }

  read<T>(work: () => T | Promise<T>): Promise<T> {
    return this.#gate.read(() => this.#afterPause(work))
  }

  get<T>(work: () => T | Promise<T>): T | Promise<T> {
    return this.#pause === undefined ? this.#gate.get(work) : this.read(work)
  }

  /** Runs `work`. Reads that begin meanwhile start when it has ended, also if it fails. */
  async pauseFor<T>(work: () => Promise<T>): Promise<T> {
    const working = work()
    this.#pause = working.then(
      () => undefined,
      () => undefined,
    )
    try {
      return await working
    } finally {
      this.#pause = undefined
    }
  }

  #afterPause<T>(work: () => T | Promise<T>): T | Promise<T> {
    return this.#pause === undefined ? work() : this.#pause.then(() => this.#afterPause(work))
  }
}

/**
 * Rows of the newest state of a shared journal, each answer with the head row of the same state. Those who ask while a question is on
 * its way share the next one: an answer shows all that was committed before its question.
 */
import type { Journal } from '../ports/index.ts'
import { headKey } from '../views/tables.ts'

type Frame = Uint8Array | undefined

export interface NewestAnswer {
  /** The head row, as it is stored. */
  readonly head: Frame
  /** In the order of the keys. */
  readonly frames: readonly Frame[]
}

/** Rows that one reader waits for. */
interface Wanted {
  readonly keys: readonly Uint8Array[]
  resolve(answer: NewestAnswer): void
  reject(error: unknown): void
}

/** Questions on their way at once. A second one keeps rows that are read one after another from waiting for two answers each. */
const questionsMax = 2
/** So many rows at most share an answer, unless one reader asks for more: rows can have some 40 KiB. */
const keysMax = 64

export class NewestRows {
  readonly #journal: Pick<Journal, 'getMany'>
  #waiting: Wanted[] = []
  #questions = 0

  constructor(journal: Pick<Journal, 'getMany'>) {
    this.#journal = journal
  }

  ask(keys: readonly Uint8Array[]): Promise<NewestAnswer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ keys, resolve, reject })
      // What is wanted in the same moment goes together.
      if (this.#waiting.length === 1) void Promise.resolve().then(() => this.#send())
    })
  }

  #send(): void {
    while (this.#waiting.length > 0 && this.#questions < questionsMax) {
      this.#questions++
      void this.#question(this.#next()).finally(() => {
        this.#questions--
        this.#send()
      })
    }
  }

  #next(): readonly Wanted[] {
    let keys = 0
    const fitting = this.#waiting.findIndex((wanted, i) => (keys += wanted.keys.length) > keysMax && i > 0)
    return this.#waiting.splice(0, fitting === -1 ? this.#waiting.length : fitting)
  }

  async #question(wanted: readonly Wanted[]): Promise<void> {
    try {
      const [head, ...frames] = await this.#journal.getMany([headKey.bytes, ...wanted.flatMap(({ keys }) => keys)])
      let from = 0
      for (const { keys, resolve } of wanted) resolve({ head, frames: frames.slice(from, (from += keys.length)) })
    } catch (error) {
      for (const { reject } of wanted) reject(error)
    }
  }
}

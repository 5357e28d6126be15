/** What one request holds of the budgets, given back when its answer is over and nothing works on it any more. */

import { shareOf } from '../server/connection-shares.ts'
import { ByteBudget } from './byte-budget.ts'
import { Gate } from './gate.ts'

export interface BudgetOptions {
  /** Bytes of documents that are taken in at once (XML, JSON), by all requests together. @default 32 MiB */
  readonly documentBytesMax?: number
  /** Bytes that listings and other long answers hold at once, of all requests together. @default 64 MiB */
  readonly answerBytesMax?: number
}

const mib = 1024 * 1024
/** Pages that are read at once. More would only stand in each other's way, and keep others waiting. */
const pagesAtOnce = 2

export class Budgets {
  readonly documents: ByteBudget
  readonly answers: ByteBudget
  readonly pages = new Gate(pagesAtOnce)

  constructor({ documentBytesMax = 32 * mib, answerBytesMax = 64 * mib }: BudgetOptions = {}) {
    this.documents = new ByteBudget(documentBytesMax)
    this.answers = new ByteBudget(answerBytesMax)
  }
}

/** What can hold bytes: both refuse with `SlowDown` what there is no room for. */
export interface Holding {
  /** @throws S3Error `SlowDown` */
  holdDocument(bytes: number): void
  /** @throws S3Error `SlowDown` */
  holdAnswer(bytes: number): void
  /** Reads a page, when it is this holder's turn. Rejects with `SlowDown` when there is no room for one. */
  page<T>(read: () => Promise<T>): Promise<T>
}

/** Who asked, as far as a budget cares. */
interface Asker {
  readonly address?: string | undefined
  onOver(act: () => void): void
}

export class RequestBudget implements Holding {
  readonly #budgets: Budgets
  readonly #client: Asker
  readonly #holder: string
  #isWatched = false
  #isWorked = true
  #isOver = false
  #documents = 0
  #answers = 0

  /** @param identity Whose request it is; without, it is that of the address it comes from. */
  constructor(budgets: Budgets, client: Asker, identity: string | undefined) {
    this.#budgets = budgets
    this.#client = client
    this.#holder = identity ?? `address ${shareOf(client.address ?? '')}`
  }

  holdDocument(bytes: number): void {
    this.#budgets.documents.take(this.#holder, bytes)
    this.#documents += bytes
    this.#watch()
  }

  holdAnswer(bytes: number): void {
    this.#budgets.answers.take(this.#holder, bytes)
    this.#answers += bytes
    this.#watch()
  }

  /** Nothing is given back before this work is done, whoever is gone. Resolves and rejects as it does. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#isWorked = false
    try {
      return await work()
    } finally {
      this.#isWorked = true
      this.#giveBack()
    }
  }

  page<T>(read: () => Promise<T>): Promise<T> {
    return this.#budgets.pages.pass(this.#holder, () => {
      this.#budgets.answers.check(this.#holder)
      return read()
    })
  }

  #watch(): void {
    if (this.#isWatched) return
    this.#isWatched = true
    this.#client.onOver(() => {
      this.#isOver = true
      this.#giveBack()
    })
  }

  /** What is held may be needed by work that goes on when the client is gone. */
  #giveBack(): void {
    if (!this.#isOver || !this.#isWorked) return
    this.#budgets.documents.give(this.#holder, this.#documents)
    this.#budgets.answers.give(this.#holder, this.#answers)
    ;[this.#documents, this.#answers] = [0, 0]
  }
}

/** What one request holds of the budgets, given back when its answer is over and nothing works on it any more. */

import { Gate } from '@varve/core'
import { shareOf } from '../addresses/share-of.ts'
import { ByteBudget } from './byte-budget.ts'

export interface BudgetOptions {
  /** Bytes of documents that are taken in at once (XML, JSON), by all requests together. @default 32 MiB */
  readonly documentBytesMax?: number
  /** Bytes that listings and other long answers hold at once, of all requests together. @default 64 MiB */
  readonly answerBytesMax?: number
  /**
   * Bytes that bodies of objects hold at once on their way in and out, of all requests together: 128 KiB each, and 1 MiB for the
   * first downloads. @default 64 MiB
   */
  readonly bodyBytesMax?: number
}

const mib = 1024 * 1024
/** Pages that are read at once. More would only stand in each other's way, and keep others waiting. */
const pagesAtOnce = 2
/** Objects whose first bytes are read at once, of up to 1 MiB each, before they count as bodies. */
const readsAtOnce = 8

export class Budgets {
  readonly documents: ByteBudget
  readonly answers: ByteBudget
  readonly bodies: ByteBudget
  readonly pages = new Gate(pagesAtOnce)
  readonly reads = new Gate(readsAtOnce)

  constructor({
    documentBytesMax = 32 * mib,
    answerBytesMax = 64 * mib,
    bodyBytesMax = bodyBytesMost,
  }: BudgetOptions = {}) {
    this.documents = new ByteBudget(documentBytesMax)
    this.answers = new ByteBudget(answerBytesMax)
    this.bodies = new ByteBudget(bodyBytesMax)
  }
}

/** What a body of an object holds on its way, and what it holds that is read or copied a whole run at a time. */
export const bodyBytes = 128 * 1024
export const runBytes = mib

const bodyBytesMost = 64 * mib
/** However few files may be open: half of it, one client's share, lets through what one client does at a time. */
const bodyBytesLeast = 4 * runBytes

/** A budget for bodies where so many files may be open for them: one client has at most half of those too. */
export const bodyBytesFor = (filesMax: number): number =>
  Math.min(bodyBytesMost, Math.max(bodyBytesLeast, filesMax * bodyBytes))

/** What can hold bytes: it refuses with `SlowDown` what there is no room for. */
export interface Holding {
  /** Whose share of the budgets it takes from: an identity or an address. */
  readonly holder: string
  /** Whose turns it takes: machines that share an identity share its bytes, and each has turns of its own. */
  readonly turnsOf: string
  /** @throws S3Error `SlowDown` */
  holdDocument(bytes: number): void
  /** @throws S3Error `SlowDown` */
  holdAnswer(bytes: number): void
  /** For a body of an object on its way. @throws S3Error `SlowDown` */
  holdBody(bytes: number): void
  /** Reads a page, when it is this holder's turn. Rejects with `SlowDown` when there is no room for one. */
  page<T>(read: () => Promise<T>): Promise<T>
  /** Reads the first bytes of an object, when it is this holder's turn. Resolves and rejects as `read` does. */
  reading<T>(read: () => Promise<T>): Promise<T>
}

/** The client, as budgets see it. */
interface Asker {
  readonly address?: string | undefined
  onOver(act: () => void): void
}

export class RequestBudget implements Holding {
  readonly #budgets: Budgets
  readonly #client: Asker
  readonly holder: string
  readonly turnsOf: string
  #isWatched = false
  #works = 0
  #isOver = false
  #documents = 0
  #answers = 0
  #bodies = 0

  /** @param identity Whose request it is; without, it is that of the address it comes from. */
  constructor(budgets: Budgets, client: Asker, identity: string | undefined) {
    this.#budgets = budgets
    this.#client = client
    const address = `address ${shareOf(client.address)}`
    this.holder = identity ?? address
    this.turnsOf = identity === undefined ? address : `${identity} ${address}`
  }

  holdDocument(bytes: number): void {
    this.#budgets.documents.take(this.holder, bytes)
    this.#documents += bytes
    this.#watch()
  }

  holdAnswer(bytes: number): void {
    this.#budgets.answers.take(this.holder, bytes)
    this.#answers += bytes
    this.#watch()
  }

  holdBody(bytes: number): void {
    this.#budgets.bodies.take(this.holder, bytes)
    this.#bodies += bytes
    this.#watch()
  }

  /** Keeps the bytes until all such work is done, even if the client is gone. Settles as the work does. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#works++
    try {
      return await work()
    } finally {
      this.#works--
      this.#giveBack()
    }
  }

  page<T>(read: () => Promise<T>): Promise<T> {
    return this.#budgets.pages.pass(this.turnsOf, () => {
      this.#budgets.answers.check(this.holder)
      return read()
    })
  }

  reading<T>(read: () => Promise<T>): Promise<T> {
    return this.#budgets.reads.pass(this.turnsOf, read)
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
    if (!this.#isOver || this.#works > 0) return
    this.#budgets.documents.give(this.holder, this.#documents)
    this.#budgets.answers.give(this.holder, this.#answers)
    this.#budgets.bodies.give(this.holder, this.#bodies)
    ;[this.#documents, this.#answers, this.#bodies] = [0, 0, 0]
  }
}

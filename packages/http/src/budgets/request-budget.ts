/**
 * The share of the budgets that one request holds. It is returned when the answer has ended and no work of the request
 * goes on.
 */

import { Gate } from '@varve/core'
import { shareOf } from '../addresses/share-of.ts'
import { ByteBudget } from './byte-budget.ts'

export interface BudgetOptions {
  /** Bytes of request documents (XML, JSON) held at once, by all requests together. @default 32 MiB */
  readonly documentBytesMax?: number
  /** Bytes that listings and other long answers hold at once, for all requests together. @default 64 MiB */
  readonly answerBytesMax?: number
  /**
   * Bytes that bodies of objects hold at once while they are received or sent, for all requests together: 128 KiB each,
   * and 1 MiB for the first downloads. @default 64 MiB
   */
  readonly bodyBytesMax?: number
}

const mib = 1024 * 1024
/** Pages that are read at once. More reads at once would not be faster, and would delay other requests. */
const pagesAtOnce = 2
/** Objects whose first bytes are read at once, up to 1 MiB each. These bytes do not count as bodies yet. */
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

/**
 * The bytes that a body of an object holds while it is transferred, and those of a body that is read or copied a run at
 * a time.
 */
export const bodyBytes = 128 * 1024
export const runBytes = mib

const bodyBytesMost = 64 * mib
/**
 * The least budget, however few files may be open: half of it, one client's share, is enough for one client's usual
 * requests.
 */
const bodyBytesLeast = 4 * runBytes

/** A budget for bodies that fits the number of files that may be open. One client gets at most half of them too. */
export const bodyBytesFor = (filesMax: number): number =>
  Math.min(bodyBytesMost, Math.max(bodyBytesLeast, filesMax * bodyBytes))

/** Reserves bytes of the budgets. A reservation without room is refused with `SlowDown`. */
export interface Holding {
  /** The identity or address whose share of the budgets is used. */
  readonly holder: string
  /** The client whose turns are used. Machines that share an identity share its bytes, but each has its own turns. */
  readonly turnsOf: string
  /** @throws S3Error `SlowDown` */
  holdDocument(bytes: number): void
  /** @throws S3Error `SlowDown` */
  holdAnswer(bytes: number): void
  /** Reserves bytes for a body of an object in transfer. @throws S3Error `SlowDown` */
  holdBody(bytes: number): void
  /** Reads a page when it is this holder's turn. Rejects with `SlowDown` when there is no room for a page. */
  page<T>(read: () => Promise<T>): Promise<T>
  /** Reads the first bytes of an object, when it is this holder's turn. Resolves and rejects as `read` does. */
  reading<T>(read: () => Promise<T>): Promise<T>
}

/** The client, as budgets need it. */
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

  /** @param identity The identity of the requester. Without one, the address is the holder. */
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

  /** Counts an answer to a write, which is never refused. */
  countAnswer(bytes: number): void {
    this.#budgets.answers.add(this.holder, bytes)
    this.#answers += bytes
    this.#watch()
  }

  /**
   * Reserves memory for a result that is there already. It may exceed the budget if its holder holds nothing else.
   * @throws S3Error `SlowDown`
   */
  holdFound(bytes: number): void {
    const isAlone = this.#budgets.answers.heldBy(this.holder) <= this.#answers
    if (isAlone) this.countAnswer(bytes)
    else this.holdAnswer(bytes)
  }

  /**
   * Reserves memory for an answer that is streamed, unless what it reads from is reserved. @throws S3Error `SlowDown`, unless it is the
   * answer to a write
   */
  holdStream(isWrite: boolean): void {
    const missing = bodyBytes - this.#answers - this.#bodies
    if (missing <= 0) return
    if (isWrite) this.countAnswer(missing)
    else this.holdAnswer(missing)
  }

  holdBody(bytes: number): void {
    this.#budgets.bodies.take(this.holder, bytes)
    this.#bodies += bytes
    this.#watch()
  }

  /** Keeps the bytes until all such work has ended, even if the client is gone. Settles as the work does. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.begin()
    try {
      return await work()
    } finally {
      this.end()
    }
  }

  /** Work begins, as in `during`. Call `end` when it has ended. */
  begin(): void {
    this.#works++
  }

  end(): void {
    this.#works--
    this.#giveBack()
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

  /** Returns the bytes. Work that goes on after the client is gone may still need them, so it waits for that work. */
  #giveBack(): void {
    if (!this.#isOver || this.#works > 0) return
    this.#budgets.documents.give(this.holder, this.#documents)
    this.#budgets.answers.give(this.holder, this.#answers)
    this.#budgets.bodies.give(this.holder, this.#bodies)
    ;[this.#documents, this.#answers, this.#bodies] = [0, 0, 0]
  }
}

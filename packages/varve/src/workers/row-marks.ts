/**
 * Which rows a worker may keep in memory, as the owner knows it: one bit for each hash that a kept row may have. A bit is
 * set before the row is sent, and cleared when the worker is told to drop the row. The worker keeps nothing that has no bit
 * and whose drop it has confirmed.
 */
import { rowHash, type RowHolder } from '@varve/core'

const bits = 2 ** 20
/** With more marks, too many commits would wait for rows that they do not change. The worker then drops all rows. */
const marksMax = 2 ** 15

export interface RowMarksOptions {
  /** Sends the hashes of rows that the worker must drop; `undefined` for all rows. The worker confirms `id`. */
  readonly send: (id: number, hashes: readonly number[] | undefined) => void
  /** How long a worker may take to confirm. Then `onStalled` is called, which must end the worker. */
  readonly stalledMs: number
  readonly onStalled: () => void
}

interface Waiting {
  readonly id: number
  resolve(): void
}

export class RowMarks implements RowHolder {
  readonly #options: RowMarksOptions
  readonly #bits = new Uint8Array(bits / 8)
  #count = 0
  #lastId = 0
  #confirmed = 0
  #waiting: Waiting[] = []
  #timer: NodeJS.Timeout | undefined
  #ended = false

  constructor(options: RowMarksOptions) {
    this.#options = options
  }

  /** Call it before the row is sent, in the turn in which it is found that no commit has touched the row. */
  mark(key: Uint8Array): void {
    const hash = rowHash(key)
    if (this.#isMarked(hash)) return
    if (this.#count === marksMax) this.#sendAll()
    this.#bits[byteOf(hash)] = (this.#bits[byteOf(hash)] as number) | bitOf(hash)
    this.#count++
  }

  drop(hashes: readonly number[]): Promise<void> | undefined {
    const marked = hashes.filter((hash) => this.#isMarked(hash))
    if (marked.length > 0) {
      for (const hash of marked) this.#clear(hash)
      this.#options.send(++this.#lastId, marked)
    }
    return this.#confirmation()
  }

  dropAll(): Promise<void> | undefined {
    if (this.#count > 0) this.#sendAll()
    return this.#confirmation()
  }

  /** The worker has dropped what it was told to drop up to `id`. */
  confirm(id: number): void {
    this.#confirmed = id
    const waiting = this.#waiting
    this.#waiting = waiting.filter((one) => one.id > id)
    for (const one of waiting) if (one.id <= id) one.resolve()
    if (this.#waiting.length === 0) this.#stopTimer()
  }

  /** The worker is gone, or its session has ended: it keeps nothing. */
  end(): void {
    this.#ended = true
    this.confirm(this.#lastId)
  }

  #sendAll(): void {
    this.#bits.fill(0)
    this.#count = 0
    this.#options.send(++this.#lastId, undefined)
  }

  #confirmation(): Promise<void> | undefined {
    if (this.#ended || this.#confirmed === this.#lastId) return undefined
    this.#startTimer()
    return new Promise((resolve) => this.#waiting.push({ id: this.#lastId, resolve }))
  }

  /** In two halves: after a pause of the whole machine, the confirmation is read between them. */
  #startTimer(): void {
    const { stalledMs, onStalled } = this.#options
    this.#timer ??= setTimeout(() => {
      this.#timer = setTimeout(onStalled, stalledMs / 2)
    }, stalledMs / 2)
  }

  #stopTimer(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #isMarked(hash: number): boolean {
    return ((this.#bits[byteOf(hash)] as number) & bitOf(hash)) !== 0
  }

  /** Two of the hashes may have the same bit. */
  #clear(hash: number): void {
    if (!this.#isMarked(hash)) return
    this.#bits[byteOf(hash)] = (this.#bits[byteOf(hash)] as number) & ~bitOf(hash)
    this.#count--
  }
}

const byteOf = (hash: number): number => (hash % bits) >>> 3
const bitOf = (hash: number): number => 1 << (hash & 7)

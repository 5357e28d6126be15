/**
 * The rows that recent commits changed, for the transactions that are open. While none is open, nothing is kept and
 * commits cost nothing more.
 */
import type { Seq } from '../ports/index.ts'
import type { TransactionReads } from './transaction-reads.ts'

interface RecentWrite {
  /** The end of the log after the commit. */
  readonly seq: Seq
  readonly names: readonly string[]
}

/** How many changed rows are kept. A row takes about 100 bytes. */
const namesMax = 100_000

export class RecentWrites {
  readonly #namesMax: number
  #open = 0
  #writes: RecentWrite[] = []
  #count = 0
  /** The changed rows are known of all commits after this position. */
  #knownFrom: Seq = 0

  constructor(max = namesMax) {
    this.#namesMax = max
  }

  /** Call it before the transaction takes its snapshot. `end`: the end of the log. Returns a function that ends it. */
  begin(end: Seq): () => void {
    if (this.#open === 0) this.forget(end)
    this.#open++
    let isOpen = true
    return () => {
      if (!isOpen) return
      isOpen = false
      this.#open--
      if (this.#open === 0) this.forget(this.#knownFrom)
    }
  }

  /** Call it after each commit, before its results. */
  add(seq: Seq, names: () => readonly string[]): void {
    if (this.#open === 0) return
    const write = { seq, names: names() }
    this.#writes.push(write)
    this.#count += write.names.length
    while (this.#count > this.#namesMax) {
      const oldest = this.#writes.shift() as RecentWrite
      this.#count -= oldest.names.length
      this.#knownFrom = oldest.seq
    }
  }

  /** The changes of commits up to a position are unknown, such as those of another engine. */
  forget(seq: Seq): void {
    this.#writes = []
    this.#count = 0
    this.#knownFrom = seq
  }

  /** Whether a commit after `since` may have changed a row that was read. */
  mayHaveChanged(reads: TransactionReads, since: Seq): boolean {
    if (since < this.#knownFrom) return true
    for (let i = this.#writes.length - 1; i >= 0; i--) {
      const { seq, names } = this.#writes[i] as RecentWrite
      if (seq <= since) return false
      if (reads.includesAny(names)) return true
    }
    return false
  }
}

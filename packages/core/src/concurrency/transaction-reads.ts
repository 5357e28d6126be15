/** The rows that a transaction has read, by key and by range: what its commit depends on. */
import { type NameRange, ReadRanges } from './read-ranges.ts'

export class TransactionReads {
  readonly #names = new Set<string>()
  readonly #ranges = new ReadRanges()

  /** A row that was read, or found absent. */
  addRow(name: string): void {
    this.#names.add(name)
  }

  /** All rows of a range, present or not. */
  addRange(range: NameRange): void {
    this.#ranges.add(range)
  }

  addAll(others: TransactionReads): void {
    for (const name of others.#names) this.#names.add(name)
    this.#ranges.addAll(others.#ranges)
  }

  /** Whether one of these changed rows was read. */
  includesAny(names: Iterable<string>): boolean {
    for (const name of names) if (this.#names.has(name) || this.#ranges.has(name)) return true
    return false
  }
}

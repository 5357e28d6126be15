/** Reads a committed state with the changes of a transaction over it, and notes what is read of that state. */
import { byteString } from '../bytes/bytes.ts'
import type { TransactionReads } from '../concurrency/transaction-reads.ts'
import type { Row, RowChange, RowCursor, RowRange, RowReader } from '../ports/index.ts'
import { NamesInOrder } from '../views/names-in-order.ts'

/** The rows that a transaction has changed, as they will be stored. */
export class OwnChanges {
  readonly #changes = new Map<string, RowChange>()
  readonly #names = new NamesInOrder(this.#changes)

  add(changes: readonly RowChange[]): void {
    for (const change of changes) {
      const name = byteString(change.key)
      this.#names.note(name)
      this.#changes.set(name, change)
    }
  }

  of(name: string): RowChange | undefined {
    return this.#changes.get(name)
  }

  /** The changes of a range, in the order of the walk. */
  within({ gte, lt, reverse = false }: RowRange): readonly RowChange[] {
    const found = this.#names
      .within(byteString(gte), byteString(lt))
      .map((name) => this.#changes.get(name) as RowChange)
    return reverse ? found.reverse() : found
  }
}

export class OverlaidReader implements RowReader {
  readonly #committed: RowReader
  readonly #own: OwnChanges
  readonly #reads: TransactionReads | undefined

  /** Without `reads`, nothing is noted: for rows that never change. */
  constructor(committed: RowReader, own: OwnChanges, reads?: TransactionReads) {
    this.#committed = committed
    this.#own = own
    this.#reads = reads
  }

  async get(key: Uint8Array): Promise<Uint8Array | undefined> {
    const name = byteString(key)
    const own = this.#own.of(name)
    if (own !== undefined) return own.value ?? undefined
    this.#reads?.addRow(name)
    return this.#committed.get(key)
  }

  getMany(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | undefined)[]> {
    return Promise.all(keys.map((key) => this.get(key)))
  }

  cursor(range: RowRange): RowCursor {
    // If a change removes the first key of a group, the others are needed.
    const { groups: _groups, ...committed } = range
    return new OverlaidCursor(this.#committed.cursor(committed), this.#own.within(range), { range, reads: this.#reads })
  }
}

interface Walk {
  readonly range: RowRange
  readonly reads: TransactionReads | undefined
}

/** Merges the rows of a cursor with changes, both in the same order. */
class OverlaidCursor implements RowCursor {
  readonly #committed: RowCursor
  readonly #changes: readonly RowChange[]
  readonly #isReverse: boolean
  readonly #range: RowRange
  readonly #reads: TransactionReads | undefined
  #next = 0
  /** Committed rows that were read and not returned yet. */
  #waiting: readonly Row[] = []
  #isExhausted = false
  /** The place from which the walk goes on. */
  #from: string

  constructor(committed: RowCursor, changes: readonly RowChange[], { range, reads }: Walk) {
    this.#committed = committed
    this.#changes = changes
    this.#range = range
    this.#isReverse = range.reverse === true
    this.#reads = reads
    this.#from = byteString(this.#isReverse ? range.lt : range.gte)
  }

  async next(count: number): Promise<readonly Row[]> {
    const rows: Row[] = []
    while (rows.length < count) {
      if (this.#waiting.length === 0 && !this.#isExhausted) await this.#read(count)
      const row = this.#take()
      if (row === undefined) break
      if (row !== null) rows.push(row)
    }
    return rows
  }

  seek(key: Uint8Array): void {
    const name = byteString(key)
    this.#from = name
    const isBefore = ([own]: readonly [Uint8Array, ...unknown[]]) => this.#compare(byteString(own), name) < 0
    while (this.#next < this.#changes.length && isBefore([(this.#changes[this.#next] as RowChange).key])) this.#next++
    const left = this.#waiting.findIndex((row) => !isBefore(row))
    if (left >= 0) this.#waiting = this.#waiting.slice(left)
    else {
      this.#waiting = []
      if (!this.#isExhausted) this.#committed.seek(key)
    }
  }

  close(): Promise<void> {
    return this.#committed.close()
  }

  async #read(count: number): Promise<void> {
    this.#waiting = await this.#committed.next(count)
    const last = this.#waiting.at(-1)
    this.#isExhausted = last === undefined
    this.#note(last === undefined ? undefined : byteString(last[0]))
  }

  /** Notes the range from the place of the walk to the last row, or to the end. */
  #note(last: string | undefined): void {
    const [gte, lt] = [byteString(this.#range.gte), byteString(this.#range.lt)]
    if (this.#isReverse) {
      this.#reads?.addRange({ gte: last ?? gte, lt: `${this.#from}\0` })
      this.#from = last ?? gte
    } else {
      this.#reads?.addRange({ gte: this.#from, lt: last === undefined ? lt : `${last}\0` })
      this.#from = last ?? lt
    }
  }

  /** The next row; `null` for a row that the transaction has deleted; `undefined` at the end. */
  #take(): Row | null | undefined {
    const [row] = this.#waiting
    const change = this.#changes[this.#next]
    const order =
      row === undefined || change === undefined ? 0 : this.#compare(byteString(row[0]), byteString(change.key))
    if (row !== undefined && (change === undefined || order <= 0)) this.#waiting = this.#waiting.slice(1)
    if (change === undefined || order < 0) return row
    this.#next++
    return change.value === null ? null : [change.key, change.value]
  }

  #compare(a: string, b: string): number {
    const order = a < b ? -1 : a > b ? 1 : 0
    return this.#isReverse ? -order : order
  }
}

/** Reads rows of a committed state, and notes them. */
import type { Soon } from '../base/soon.ts'
import { byteString } from '../bytes/bytes.ts'
import type { TransactionReads } from '../concurrency/transaction-reads.ts'
import type { RowRange } from '../ports/index.ts'
import type { KeyedRow, Rows } from '../views/row-reader.ts'
import type { RowKey } from '../views/row-key.ts'

export class NotedRows implements Rows {
  readonly #rows: Rows
  readonly #reads: TransactionReads

  constructor(rows: Rows, reads: TransactionReads) {
    this.#rows = rows
    this.#reads = reads
  }

  get<R>(key: RowKey<R>): Soon<R | undefined> {
    this.#reads.addRow(key.name)
    return this.#rows.get(key)
  }

  first<R>(range: RowRange): Promise<KeyedRow<R> | undefined> {
    this.#note(range)
    return this.#rows.first(range)
  }

  all<R>(range: RowRange): Promise<readonly KeyedRow<R>[]> {
    this.#note(range)
    return this.#rows.all(range)
  }

  #note({ gte, lt }: RowRange): void {
    this.#reads.addRange({ gte: byteString(gte), lt: byteString(lt) })
  }
}

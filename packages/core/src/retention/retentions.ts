import type { Seq } from '../ports/index.ts'
import type { Rows } from '../views/row-reader.ts'
import type { RetentionRow } from '../views/rows.ts'
import { retentionTable } from '../views/tables.ts'
import type { RetentionBudget } from '../settings/byte-retention.ts'
import { wholeStore } from '../settings/whole-store.ts'

/** The retention of the store and of its buckets in one state. */
export class Retentions {
  readonly #unsetMs: number
  readonly #rows: ReadonlyMap<Seq, RetentionRow>

  private constructor(unsetMs: number, rows: ReadonlyMap<Seq, RetentionRow>) {
    this.#unsetMs = unsetMs
    this.#rows = rows
  }

  /** `unsetMs`: the retention of a store whose log states none. */
  static async load(rows: Rows, unsetMs: number): Promise<Retentions> {
    const found = await rows.all<RetentionRow>(retentionTable.range)
    return new Retentions(unsetMs, new Map(found.map(({ key, row }) => [retentionTable.of(key), row])))
  }

  /** What the log states for a bucket, or for the whole store. */
  stated(of: Seq): RetentionRow | undefined {
    return this.#rows.get(of)
  }

  /** How long the garbage of a queue stays. */
  keepMs(queue: Seq): number {
    return queue === wholeStore ? this.longest : (this.stated(queue)?.keepMs ?? this.#storeMs)
  }

  get budget(): RetentionBudget | undefined {
    return this.stated(wholeStore)?.budget
  }

  get longest(): number {
    return Math.max(...this.#all)
  }

  /** The shortest retention besides 0, for which ages need no measuring; 0 if there is none. */
  get shortest(): number {
    const some = this.#all.filter((keepMs) => keepMs > 0)
    return some.length === 0 ? 0 : Math.min(...some)
  }

  /** True if some bytes are erased as soon as they are removed. */
  get erasesAtOnce(): boolean {
    return this.#all.includes(0)
  }

  get #storeMs(): number {
    return this.stated(wholeStore)?.keepMs ?? this.#unsetMs
  }

  get #all(): readonly number[] {
    return [this.#storeMs, ...[...this.#rows.values()].map(({ keepMs }) => keepMs)]
  }
}

import type { Seq } from '../ports/index.ts'
import type { Rows } from '../views/row-reader.ts'
import type { RetentionRow } from '../views/rows.ts'
import { unseenQueue } from '../views/garbage.ts'
import { retentionTable } from '../views/tables.ts'
import type { RetentionBudget } from '../settings/byte-retention.ts'
import { wholeStore } from '../settings/whole-store.ts'

/** The retention of the store and of its buckets in one state. */
export class Retentions {
  /** The retention of a store whose log states none, in milliseconds. */
  readonly unsetMs: number
  readonly longest: number
  /** The shortest retention besides 0, for which ages need no measuring; 0 if there is none. */
  readonly shortest: number
  /** True if some bytes are erased as soon as they are removed. */
  readonly erasesAtOnce: boolean
  readonly #rows: ReadonlyMap<Seq, RetentionRow>

  private constructor(unsetMs: number, rows: ReadonlyMap<Seq, RetentionRow>) {
    this.unsetMs = unsetMs
    this.#rows = rows
    const all = [this.#storeMs, ...[...rows.values()].map(({ keepMs }) => keepMs)].sort((a, b) => a - b)
    this.longest = all.at(-1) as number
    this.shortest = all.find((keepMs) => keepMs > 0) ?? 0
    this.erasesAtOnce = all[0] === 0
  }

  static async load(rows: Rows, unsetMs: number): Promise<Retentions> {
    const found = await rows.all<RetentionRow>(retentionTable.range)
    return new Retentions(unsetMs, new Map(found.map(({ key, row }) => [retentionTable.of(key), row])))
  }

  /** The same, with another retention for a store whose log states none. */
  withUnset(unsetMs: number): Retentions {
    return new Retentions(unsetMs, this.#rows)
  }

  /** What the log states for a bucket, or for the whole store. */
  stated(of: Seq): RetentionRow | undefined {
    return this.#rows.get(of)
  }

  /** How long the garbage of a queue stays. */
  keepMs(queue: Seq): number {
    // A store that may have lost what it has stated keeps everything.
    if (queue === unseenQueue) return this.#storeMs === Number.POSITIVE_INFINITY ? this.#storeMs : 0
    return queue === wholeStore ? this.longest : (this.stated(queue)?.keepMs ?? this.#storeMs)
  }

  get budget(): RetentionBudget | undefined {
    return this.stated(wholeStore)?.budget
  }

  get #storeMs(): number {
    return this.stated(wholeStore)?.keepMs ?? this.unsetMs
  }
}

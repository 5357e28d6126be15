import type { Seq } from '../ports/index.ts'
import type { Rows } from '../views/row-reader.ts'
import type { GraceRow, RetentionRow } from '../views/rows.ts'
import { unseenQueue } from '../views/garbage.ts'
import { retentionTable } from '../views/tables.ts'
import type { ByteRetention, RetentionBudget } from '../settings/byte-retention.ts'
import { wholeStore } from '../settings/whole-store.ts'

/** Says whether so many milliseconds have passed since an event, by the time that the store believes. */
export interface AgeClock {
  isPastRetention(keepMs: number, seq: Seq, time: number): boolean
}

/** The retention of the store and of its buckets in one state. */
export class Retentions {
  /** The retention of a store whose log states none, in milliseconds. */
  readonly unsetMs: number
  readonly longest: number
  /** The shortest time besides 0 that is measured; 0 if there is none. */
  readonly shortest: number
  /** True if some bytes are erased as soon as they are removed. */
  readonly erasesAtOnce: boolean
  readonly #rows: ReadonlyMap<Seq, RetentionRow>
  /** What was stated before, while it still counts. */
  readonly #before: ReadonlyMap<Seq, GraceRow>

  private constructor(unsetMs: number, rows: ReadonlyMap<Seq, RetentionRow>, before: ReadonlyMap<Seq, GraceRow>) {
    this.unsetMs = unsetMs
    this.#rows = rows
    this.#before = before
    const all = [this.#storeMs, ...[...rows.keys(), ...before.keys()].map((queue) => this.#keepMsOf(queue))]
    const measured = [...all, ...[...before.values()].map(({ graceMs }) => graceMs)].filter((ms) => ms > 0)
    this.longest = Math.max(...all)
    this.shortest = measured.length === 0 ? 0 : Math.min(...measured)
    this.erasesAtOnce = all.includes(0)
  }

  /** `clock`: absent, if nothing is known of the time that has passed. Then what was stated before counts too. */
  static async load(rows: Rows, unsetMs: number, clock?: AgeClock): Promise<Retentions> {
    const found = (await rows.all<RetentionRow>(retentionTable.range)).map(
      ({ key, row }) => [retentionTable.of(key), row] as const,
    )
    return new Retentions(
      unsetMs,
      new Map(found.filter(([, { follows }]) => follows !== true)),
      new Map(
        found.flatMap(([of, { since, before }]) =>
          before === undefined || clock?.isPastRetention(before.graceMs, since, before.at) === true
            ? []
            : [[of, before] as const],
        ),
      ),
    )
  }

  /** The same, with another retention for a store whose log states none. */
  withUnset(unsetMs: number): Retentions {
    return new Retentions(unsetMs, this.#rows, this.#before)
  }

  /** The same, as if this were stated for a bucket, or for the whole store, and counted at once. `null`: nothing is. */
  with(of: Seq, stated: ByteRetention | null): Retentions {
    const others = <R>(map: ReadonlyMap<Seq, R>) => [...map].filter(([queue]) => queue !== of)
    const rows = new Map<Seq, RetentionRow>(others(this.#rows))
    if (stated !== null) rows.set(of, { ...stated, since: 0 })
    return new Retentions(this.unsetMs, rows, new Map(others(this.#before)))
  }

  /** What the log states for a bucket, or for the whole store. */
  stated(of: Seq): RetentionRow | undefined {
    return this.#rows.get(of)
  }

  /** What was stated before, if it still counts. */
  before(of: Seq): GraceRow | undefined {
    return this.#before.get(of)
  }

  /** How long the garbage of a queue stays. */
  keepMs(queue: Seq): number {
    // A store that may have lost what it has stated keeps everything.
    if (queue === unseenQueue) return this.#storeMs === Number.POSITIVE_INFINITY ? this.#storeMs : 0
    return queue === wholeStore ? this.longest : this.#keepMsOf(queue)
  }

  get budget(): RetentionBudget | undefined {
    return (this.#before.get(wholeStore) ?? this.stated(wholeStore))?.budget
  }

  #keepMsOf(of: Seq): number {
    const stated = this.stated(of)?.keepMs ?? (of === wholeStore ? this.unsetMs : this.#storeMs)
    return Math.max(stated, this.#before.get(of)?.keepMs ?? 0)
  }

  get #storeMs(): number {
    return this.#keepMsOf(wholeStore)
  }
}

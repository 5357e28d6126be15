/**
 * Compacts ranges in which LevelDB steps over the marks of deleted rows. A search for the next row passes every mark on
 * its way, also beyond the range that is asked for: after 20,000 deletions, milliseconds for each search there, until
 * LevelDB happens to compact the range by itself. So a search that took long is made again. If it is slow again, its range
 * is compacted, which rewrites only the tables that the search had to read.
 */
import type { LevelDatabase } from './level-database.ts'

/** A search for the next row from a key on. */
export interface Search {
  readonly from: Uint8Array
  readonly reverse: boolean
}

/** A search is slow if it takes longer than this, in milliseconds. Without marks it takes 0.02 to 0.1 ms. */
export const slowMs = 1
/** Compactions have at most one tenth of the time. */
const restFactor = 9
const [firstOfAll, lastOfAll] = [new Uint8Array(), new Uint8Array(64).fill(0xff)]

const known = new WeakMap<LevelDatabase, SlowRanges>()

/** The same for all walks on a database. `undefined` if it needs no compaction. */
export function slowRangesOf(db: LevelDatabase): SlowRanges | undefined {
  if (db.compactRange === undefined) return undefined
  const found = known.get(db)
  if (found !== undefined) return found
  const made = new SlowRanges(db)
  known.set(db, made)
  return made
}

export class SlowRanges {
  readonly #db: LevelDatabase
  /** A monotonic clock in milliseconds, from any start. */
  readonly now: () => number
  #notBefore = Number.NEGATIVE_INFINITY
  #compacting: Promise<void> | undefined

  constructor(db: LevelDatabase, now = (): number => performance.now()) {
    this.#db = db
    this.now = now
  }

  /** Settles when nothing is compacted. */
  get settled(): Promise<void> {
    return this.#compacting ?? Promise.resolve()
  }

  /** Returns at once. `took` is the time of all of them with what they waited for, in milliseconds. */
  note(searches: readonly Search[], took: number): void {
    if (took < slowMs || this.#compacting !== undefined || this.now() < this.#notBefore) return
    this.#compacting = this.#compact(searches).finally(() => (this.#compacting = undefined))
  }

  /** Never rejects: the database answers without it too, and if it was closed or has failed, its other calls say so. */
  async #compact(searches: readonly Search[]): Promise<void> {
    const started = this.now()
    try {
      for (const search of searches) {
        const range = await this.#slowRange(search)
        if (range !== undefined) await this.#db.compactRange?.(...range)
      }
    } catch {
      // See above.
    }
    this.#notBefore = this.now() + restFactor * (this.now() - started)
  }

  async #slowRange({ from, reverse }: Search): Promise<readonly [from: Uint8Array, to: Uint8Array] | undefined> {
    const bounds = reverse ? { gte: firstOfAll, lte: from } : { gte: from, lte: lastOfAll }
    const iterator = this.#db.iterator({ ...bounds, reverse, values: false })
    try {
      const started = this.now()
      // Synchronous, so it waits for nothing.
      iterator.seek(from)
      if (this.now() - started < slowMs) return undefined
      const [found] = await iterator.nextv(1)
      return reverse ? [found?.[0] ?? firstOfAll, await this.#next(from)] : [from, found?.[0] ?? lastOfAll]
    } finally {
      await iterator.close()
    }
  }

  /** A search backwards begins with one forwards. */
  async #next(from: Uint8Array): Promise<Uint8Array> {
    const iterator = this.#db.iterator({ gte: from, lte: lastOfAll, values: false })
    try {
      return (await iterator.nextv(1))[0]?.[0] ?? lastOfAll
    } finally {
      await iterator.close()
    }
  }
}

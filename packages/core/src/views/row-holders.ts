/**
 * Other processes that keep rows of this log in memory. A commit that changes such a row is written only after they have
 * dropped the row, so nobody can see the change while anyone still reads the row as it was.
 */
import type { RowChange } from '../ports/index.ts'
import { rowHash } from './row-hash.ts'

/** Another process that keeps rows. */
export interface RowHolder {
  /** Resolves when the holder keeps no row with one of these hashes; `undefined` if it keeps none now. Never rejects. */
  drop(hashes: readonly number[]): Promise<void> | undefined
  /** As `drop`, for all rows. */
  dropAll(): Promise<void> | undefined
}

export class RowHolders {
  readonly #holders = new Set<RowHolder>()

  /** Returns a function that removes the holder, which must keep no rows then. */
  add(holder: RowHolder): () => void {
    this.#holders.add(holder)
    return () => this.#holders.delete(holder)
  }

  /** Call it when the commit has started, before the journal gets it. `undefined` if nobody keeps a changed row. */
  drop(changes: readonly RowChange[]): Promise<unknown> | undefined {
    if (this.#holders.size === 0) return undefined
    const hashes = changes.map(({ key }) => rowHash(key))
    return this.#all((holder) => holder.drop(hashes))
  }

  /** Call it before the log is closed, and when any row may have changed. */
  dropAll(): Promise<unknown> | undefined {
    return this.#all((holder) => holder.dropAll())
  }

  #all(drop: (holder: RowHolder) => Promise<void> | undefined): Promise<unknown> | undefined {
    const dropping = [...this.#holders].map(drop).filter((promise) => promise !== undefined)
    return dropping.length === 0 ? undefined : Promise.all(dropping)
  }
}

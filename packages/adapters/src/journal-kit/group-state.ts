/** The state that each commit of a group would change: what is committed, and the commits before it in the group. */
import type { Commit, RowChange, RowReader, Seq } from '@varve/core'
import { assertHead, assertRows } from './expectations.ts'
import { rowName } from './row-name.ts'

export class GroupState {
  readonly #committed: Pick<RowReader, 'getMany'>
  /** The commits that were taken. */
  readonly #taken: Commit[] = []
  readonly #changed = new Map<string, Uint8Array | null>()
  /** So many of the taken commits are in `#changed`. */
  #indexed = 0
  #head: Seq

  constructor(head: Seq, committed: Pick<RowReader, 'getMany'>) {
    this.#head = head
    this.#committed = committed
  }

  /**
   * Adds the commit if the state is as it expects. Only the comparison with rows needs a promise.
   * @throws StorageError `JournalConflict`
   */
  take(commit: Commit): Promise<void> | undefined {
    assertHead(commit, this.#head)
    const { expectedRows = [] } = commit
    if (expectedRows.length > 0) return this.#takeGuarded(commit, expectedRows)
    this.#add(commit)
    return undefined
  }

  async #takeGuarded(commit: Commit, expectedRows: readonly RowChange[]): Promise<void> {
    const committed = await this.#committed.getMany(expectedRows.map(({ key }) => key))
    const changed = this.#changedRows()
    const found = expectedRows.map(({ key }, i) => {
      const value = changed.get(rowName(key))
      return value === undefined ? committed[i] : value
    })
    assertRows(expectedRows, found)
    this.#add(commit)
  }

  /** The rows that the taken commits change. Nothing is computed while no commit expects rows. */
  #changedRows(): ReadonlyMap<string, Uint8Array | null> {
    for (; this.#indexed < this.#taken.length; this.#indexed++) {
      for (const { key, value } of (this.#taken[this.#indexed] as Commit).rows) this.#changed.set(rowName(key), value)
    }
    return this.#changed
  }

  #add(commit: Commit): void {
    this.#taken.push(commit)
    this.#head += commit.events.length
  }
}

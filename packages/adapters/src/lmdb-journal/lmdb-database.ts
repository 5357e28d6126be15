/**
 * A journal's database in LMDB. A commit is one transaction, which a separate thread writes and syncs; reads use the
 * memory that the file is mapped to. A state that a reader holds is a read transaction: LMDB does not overwrite its
 * pages, so a long reader makes the file grow by what is changed meanwhile.
 */
import type { Commit, Seq } from '@varve/core'
import { eventKey, rowKey } from '../journal-kit/key-spaces.ts'
import { type HeldState, heldState, type RowState } from '../row-states/row-state.ts'
import type { StateDatabase } from '../row-states/state-journal.ts'
import { type LmdbEnvironment, named } from './lmdb-environment.ts'
import { lmdbEvents, lmdbHead, lmdbRows } from './lmdb-rows.ts'
import { writeBatch } from './write-batch.ts'

export class LmdbDatabase implements StateDatabase {
  readonly newest: RowState
  readonly events: StateDatabase['events']
  readonly #env: LmdbEnvironment

  constructor(env: LmdbEnvironment) {
    this.#env = env
    this.newest = lmdbRows(env)
    this.events = (from, to) => lmdbEvents(env, from, to)
  }

  head(): Seq {
    return lmdbHead(this.#env)
  }

  keep(): HeldState {
    const transaction = named(() => this.#env.useReadTransaction())
    const rows = lmdbRows(this.#env, transaction)
    return heldState(
      () => rows,
      () => transaction.done(),
    )
  }

  write(commits: readonly Commit[], head: Seq): Promise<void> {
    return writeBatch(this.#env, (batch) => {
      let seq = head
      for (const { events, rows } of commits) {
        for (const bytes of events) batch.put(eventKey(++seq), bytes)
        for (const { key, value } of rows) {
          if (value === null) batch.remove(rowKey(key))
          else batch.put(rowKey(key), value)
        }
      }
    })
  }

  close(): Promise<void> {
    return this.#env.close()
  }
}

/**
 * A journal's database in LMDB. A commit is one transaction, which a separate thread writes and syncs; reads use the
 * memory that the file is mapped to. A state that a reader holds is a read transaction: LMDB does not overwrite its
 * pages, so a long reader makes the file grow by what is changed meanwhile.
 */
import { dirname } from 'node:path'
import type { Commit, Seq } from '@varve/core'
import { syncDirectory, temporaryOf } from '../files/durable-files.ts'
import { eventKey, rowKey } from '../journal-kit/key-spaces.ts'
import { type HeldState, heldState, type RowState } from '../row-states/row-state.ts'
import type { StateDatabase } from '../row-states/state-journal.ts'
import { type LmdbEnvironment, named } from './lmdb-environment.ts'
import { lmdbEvents, lmdbHead, lmdbRows } from './lmdb-rows.ts'
import { type LmdbPlace, openLmdbFile } from './open-lmdb-file.ts'
import { writeCopy } from './rewrite-lmdb.ts'
import { writeBatch } from './write-batch.ts'

export class LmdbDatabase implements StateDatabase {
  readonly newest: RowState
  readonly events: StateDatabase['events']
  readonly #place: LmdbPlace
  /** Absent while the file is replaced. LMDB ends the process if a closed environment is used. */
  #open: LmdbEnvironment | undefined
  /** The states that readers hold. */
  #kept = 0

  constructor(env: LmdbEnvironment, place: LmdbPlace) {
    this.#open = env
    this.#place = place
    this.newest = lmdbRows(() => this.#env())
    this.events = (from, to) => lmdbEvents(this.#env(), from, to)
  }

  head(): Seq {
    return lmdbHead(this.#env())
  }

  keep(): HeldState {
    const env = this.#env()
    const transaction = named(() => env.useReadTransaction())
    const rows = lmdbRows(() => env, transaction)
    this.#kept++
    return heldState(
      () => rows,
      () => {
        this.#kept--
        transaction.done()
      },
    )
  }

  write(commits: readonly Commit[], head: Seq): Promise<void> {
    return writeBatch(this.#env(), (batch) => {
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

  async rewrite(withoutReads: (work: () => Promise<void>) => Promise<void>): Promise<boolean> {
    if (this.#kept > 0 || !(await writeCopy(this.#place, this.#env()))) return false
    await withoutReads(() => this.#replaceByCopy())
    const { fs, path } = this.#place
    await syncDirectory(fs, dirname(path))
    return true
  }

  async close(): Promise<void> {
    await this.#open?.close()
  }

  #env(): LmdbEnvironment {
    if (this.#open === undefined) throw new Error('The file of LMDB could not be opened again.')
    return this.#open
  }

  async #replaceByCopy(): Promise<void> {
    const { fs, path } = this.#place
    const replaced = this.#env()
    this.#open = undefined
    try {
      // Windows does not rename to the name of an open file.
      await replaced.close()
      await fs.rename(temporaryOf(path), path)
    } finally {
      // After a failure too, for reads: either file has the newest state.
      this.#open = await openLmdbFile(this.#place)
    }
  }
}

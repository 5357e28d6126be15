/** Rows from events, a group at a time: one transaction reads what a group shares once and writes what it changes once. */
import type { DecodedEvent } from '../events/event-codec.ts'
import type { Hashing, Journal } from '../ports/index.ts'
import { project } from '../views/project.ts'
import { RowTransaction } from '../views/row-transaction.ts'
import { headKey, viewsVersion } from '../views/tables.ts'
import type { LogEnd } from './recorder.ts'

/** What a group may hold in memory, in events and in bytes of them; the rows they make are of about the same size. */
const groupEvents = 1024
const groupBytes = 4 * 1024 * 1024

export class Fold {
  /** How many rows were changed so far: there are at most as many. */
  changed = 0
  readonly #views: Journal
  readonly #hashing: Hashing
  #rows: RowTransaction
  #events = 0
  #bytes = 0
  #end: LogEnd | undefined

  constructor(views: Journal, hashing: Hashing) {
    this.#views = views
    this.#hashing = hashing
    this.#rows = new RowTransaction(views, hashing)
  }

  /** Projects the event that comes next. True when that completed a group. */
  async take({ event, hash, size }: DecodedEvent): Promise<boolean> {
    await project(this.#rows, event)
    this.#end = { seq: event.seq, at: event.at, hash }
    this.#events++
    this.#bytes += size
    if (this.#events < groupEvents && this.#bytes < groupBytes) return false
    await this.flush()
    return true
  }

  /** Commits what was projected; the head row goes along, so that a fold can be cut off and taken up again. */
  async flush(): Promise<void> {
    if (this.#events === 0) return
    this.#rows.put(headKey, { ...(this.#end as LogEnd), views: viewsVersion })
    const rows = this.#rows.changes()
    await this.#views.commit({ expectedHead: await this.#views.head(), events: [], rows })
    this.changed += rows.length
    this.#rows = new RowTransaction(this.#views, this.#hashing)
    this.#events = 0
    this.#bytes = 0
  }
}

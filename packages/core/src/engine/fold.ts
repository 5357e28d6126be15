/**
 * Rows from events, a group at a time: one transaction reads what a group shares once and writes what it changes once.
 * While a group is being committed the next one is made.
 */
import type { DecodedEvent } from '../events/event-codec.ts'
import type { Hashing, Journal } from '../ports/index.ts'
import { project } from '../views/project.ts'
import { committedRows, type Rows } from '../views/row-reader.ts'
import { RowTransaction } from '../views/row-transaction.ts'
import { headKey, viewsVersion } from '../views/tables.ts'
import type { LogEnd } from './recorder.ts'

/**
 * What a group may hold, in events and in bytes of them; the rows they make are of about the same size. So few that they are
 * done with before the collector has moved them about: larger groups take longer, not shorter.
 */
const groupEvents = 256
const groupBytes = 4 * 1024 * 1024

export class Fold {
  /** How many rows were changed so far: there are at most as many. */
  changed = 0
  readonly #views: Journal
  readonly #hashing: Hashing
  /** What a group is made over: the journal, which may have the rows of the group before or not yet. */
  readonly #behind: Rows
  #rows: RowTransaction
  #events = 0
  #bytes = 0
  #end: LogEnd | undefined
  /** The last group that was flushed, and its commit. */
  #before: RowTransaction | undefined
  #commit: Promise<void> | undefined

  constructor(views: Journal, hashing: Hashing) {
    this.#views = views
    this.#hashing = hashing
    this.#behind = this.#rowsBehind(committedRows(views, hashing))
    this.#rows = new RowTransaction(this.#behind, hashing)
  }

  /** Whether it is time to `flush`. */
  get full(): boolean {
    return this.#events >= groupEvents || this.#bytes >= groupBytes
  }

  /** Projects the event that comes next. A promise only where rows have to be read first. */
  take({ event, hash, size }: DecodedEvent): Promise<void> | undefined {
    this.#end = { seq: event.seq, at: event.at, hash }
    this.#events++
    this.#bytes += size
    return project(this.#rows, event)
  }

  /**
   * Begins to commit what was projected, once what came before is committed; the head row goes along, so that a fold can be
   * cut off and taken up again.
   */
  async flush(): Promise<void> {
    if (this.#events === 0) return
    this.#rows.put(headKey, { ...(this.#end as LogEnd), views: viewsVersion })
    const rows = this.#rows.changes()
    this.changed += rows.length
    await this.#commit
    this.#commit = this.#views.head().then((expectedHead) => this.#views.commit({ expectedHead, events: [], rows }))
    // The error reaches the code that awaits it.
    this.#commit.catch(() => undefined)
    this.#before = this.#rows
    this.#rows = new RowTransaction(this.#behind, this.#hashing)
    this.#events = 0
    this.#bytes = 0
  }

  /** Commits the rest. */
  async finish(): Promise<void> {
    await this.flush()
    await this.#commit
  }

  /** Waits for what is under way, whatever comes of it; what was not flushed is given up. */
  async stop(): Promise<void> {
    await this.#commit?.catch(() => undefined)
  }

  #rowsBehind(committed: Rows): Rows {
    return {
      get: async (key) => {
        const known = this.#before?.known(key)
        return known === undefined ? committed.get(key) : known.row
      },
      first: async (range) => {
        await this.#commit
        return committed.first(range)
      },
      all: async (range) => {
        await this.#commit
        return committed.all(range)
      },
    }
  }
}

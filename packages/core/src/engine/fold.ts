/**
 * Computes rows from events, group by group. One transaction per group reads each shared row once and writes each
 * changed row once. The next group is computed while a group is being committed.
 */
import { isStorageError } from '../base/errors.ts'
import type { Soon } from '../base/soon.ts'
import type { DecodedEvent } from '../events/event-codec.ts'
import type { RecordedEvent } from '../events/index.ts'
import type { Hashing, Journal, RowChange, Seq } from '../ports/index.ts'
import type { CommitGuard } from '../sharing/sharing.ts'
import { ForeseenRows, shareKeyOf } from '../views/foreseen-rows.ts'
import { project } from '../views/project.ts'
import type { RowKey } from '../views/row-key.ts'
import { decodeRow } from '../views/row-codec.ts'
import { committedRows, type Rows } from '../views/row-reader.ts'
import { RowTransaction } from '../views/row-transaction.ts'
import type { HeadRow } from '../views/rows.ts'
import { headKey } from '../views/tables.ts'
import { headRowAt } from './head-state.ts'
import { logEndAt, type ViewsEnd } from './recorder.ts'

/**
 * The maximum size of a group, in events and in bytes of events; its rows have about the same size. Larger groups are
 * slower: the garbage collector then moves their rows before they are committed.
 */
const groupEvents = 256
const groupBytes = 4 * 1024 * 1024

/** The number of first bytes of keys. */
const tablesMax = 256

export interface FoldOptions {
  /** Guards the commits on a journal that other engines use. They do not use the views before `finish`. */
  readonly guard?: CommitGuard | undefined
  /** With a guard: the head that each commit expects. The log does not grow while the views are computed. */
  readonly head?: Seq
  /** The last event that the views contain. Absent for empty views. */
  readonly start?: ViewsEnd | undefined
}

export class Fold {
  /** The number of changed rows of all groups: an upper bound of the number of rows. */
  changed = 0
  readonly #views: Journal
  readonly #hashing: Hashing
  readonly #guard: CommitGuard | undefined
  readonly #head: Seq | undefined
  /** The rows before the current group: the journal, and the previous group while its commit runs. */
  readonly #behind: Rows
  #rows: RowTransaction
  /**
   * By table, whether it can have rows. Others need no look into the journal, and most stores use few tables. Absent if the
   * views had rows before.
   */
  readonly #used: Uint8Array | undefined
  #events = 0
  #bytes = 0
  #end: ViewsEnd | undefined
  /** The last flushed group, and its commit. */
  #before: RowTransaction | undefined
  #commit: Promise<void> | undefined

  constructor(views: Journal, hashing: Hashing, { guard, head, start }: FoldOptions = {}) {
    this.#views = views
    this.#guard = guard
    // The events may come from another journal than the one that gets the views.
    this.#head = guard && head
    this.#end = start
    this.#used = start === undefined ? new Uint8Array(tablesMax) : undefined
    this.#hashing = hashing
    this.#behind = this.#rowsBehind(committedRows(views, hashing))
    this.#rows = new RowTransaction(this.#behind, hashing)
  }

  /** Whether the group is large enough to `flush`. */
  get full(): boolean {
    return this.#events >= groupEvents || this.#bytes >= groupBytes
  }

  /** Reads the rows that these events need together, where each read is a round trip. Then `take` reads few by itself. */
  async foresee(events: readonly RecordedEvent[]): Promise<void> {
    const { versions, others } = new ForeseenRows(events)
    await this.#readTogether([...versions, ...others])
    const shares = versions.flatMap((key) => {
      const row = this.#known(key)?.row
      return (row && shareKeyOf(row)) ?? []
    })
    await this.#readTogether(shares)
  }

  async #readTogether(keys: readonly RowKey<unknown>[]): Promise<void> {
    const missing = new Map<string, RowKey<unknown>>()
    for (const key of keys) if (!this.#isUnused(key.bytes) && this.#known(key) === undefined) missing.set(key.name, key)
    if (missing.size === 0) return
    const wanted = [...missing.values()]
    const frames = await this.#views.getMany(wanted.map(({ bytes }) => bytes))
    for (const [at, key] of wanted.entries()) this.#keep(key, frames[at])
  }

  /** A damaged row is left to the read that needs it. */
  #keep(key: RowKey<unknown>, frame: Uint8Array | undefined): void {
    try {
      this.#rows.keep(key, frame && decodeRow<object>(this.#hashing, key.bytes, frame))
    } catch (error) {
      if (!isStorageError(error, 'RowCorrupt')) throw error
    }
  }

  /** The row of the current group, or that of the group before it, whose commit may still run. */
  #known<R>(key: RowKey<R>): { readonly row: R | undefined } | undefined {
    return this.#rows.known(key) ?? this.#before?.known(key)
  }

  /** Projects the next event. Returns a promise only if rows must be read first. */
  take(decoded: DecodedEvent): Soon<void> {
    this.#end = logEndAt(decoded)
    this.#events++
    this.#bytes += decoded.size
    return project(this.#rows, decoded)
  }

  /**
   * Starts the commit of the projected rows, after the previous commit. The head row is committed with them, so that an
   * interrupted fold can be continued.
   */
  async flush(): Promise<void> {
    if (this.#events === 0) return
    this.#putHead({ ...(this.#guard !== undefined && { partial: true }) })
    await this.#startCommit()
  }

  #putHead(state: Pick<HeadRow, 'partial'>): void {
    this.#rows.put(headKey, { ...headRowAt(this.#end as ViewsEnd), ...state })
  }

  async #startCommit(): Promise<void> {
    const rows = this.#rows.changes()
    this.changed += rows.length
    if (this.#used !== undefined) for (const { key } of rows) this.#used[key[0] as number] = 1
    await this.#commit
    this.#commit = this.#commitRows(rows)
    // The code that awaits this promise gets the error.
    this.#commit.catch(() => undefined)
    this.#before = this.#rows
    this.#rows = new RowTransaction(this.#behind, this.#hashing)
    this.#events = 0
    this.#bytes = 0
  }

  async #commitRows(rows: readonly RowChange[]): Promise<void> {
    const expectedHead = this.#head ?? (await this.#views.head())
    const expectedRows = (await this.#guard?.rows()) ?? []
    await this.#views.commit({ expectedHead, expectedRows, events: [], rows })
  }

  /** Commits the remaining rows. */
  async finish(): Promise<void> {
    if (this.#guard === undefined) await this.flush()
    else if (this.#end !== undefined) {
      this.#putHead({})
      await this.#startCommit()
    }
    await this.#commit
  }

  /** Waits for the running commit and ignores its error. Rows that were not flushed are discarded. */
  async stop(): Promise<void> {
    await this.#commit?.catch(() => undefined)
  }

  #rowsBehind(committed: Rows): Rows {
    return {
      get: (key) => {
        if (this.#isUnused(key.bytes)) return undefined
        const known = this.#before?.known(key)
        return known === undefined ? committed.get(key) : known.row
      },
      first: async (range) => {
        if (this.#isUnused(range.gte)) return undefined
        await this.#commit
        return committed.first(range)
      },
      all: async (range) => {
        if (this.#isUnused(range.gte)) return []
        await this.#commit
        return committed.all(range)
      },
    }
  }

  /** Ranges are within one table. */
  #isUnused([table = 0]: Uint8Array): boolean {
    return this.#used?.[table] === 0
  }
}

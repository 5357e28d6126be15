/** The newest committed state, in which the commit writer decides. */
import { corruptEvent } from '../events/event-codec.ts'
import { StorageError } from '../base/errors.ts'
import type { Hashing, Journal, RowChange, RowSnapshot, Seq, Tip } from '../ports/index.ts'
import { decodeRow } from '../views/row-codec.ts'
import { committedRows, type Rows } from '../views/row-reader.ts'
import type { HeadRow } from '../views/rows.ts'
import { headKey, viewsVersion } from '../views/tables.ts'

export interface NewestState {
  readonly rows: Rows
  /** The head row as it is stored. Absent if no other engine can change it. */
  readonly head?: RowChange
  close?(): Promise<void>
}

/** The state of a journal that no other engine changes: all reads until the next commit see the same rows. */
export const newestState = (journal: Journal, hashing: Hashing): NewestState => ({
  rows: committedRows(journal, hashing),
})

/** A snapshot of a journal that other engines change, with the position that its views contain. */
export class SnapshotState implements NewestState {
  readonly rows: Rows
  readonly head: RowChange
  readonly #row: HeadRow | undefined
  readonly snapshot: RowSnapshot

  private constructor(snapshot: RowSnapshot, hashing: Hashing, frame: Uint8Array | undefined) {
    this.snapshot = snapshot
    this.rows = committedRows(snapshot, hashing)
    this.head = { key: headKey.bytes, value: frame ?? null }
    this.#row = frame && decodeRow<HeadRow>(hashing, headKey.bytes, frame)
    if ((this.#row?.views ?? 0) > viewsVersion) throw newerViews(this.#row?.views ?? 0)
  }

  /** @throws StorageError `UnsupportedFormat` if a newer release has computed the views */
  static async take(journal: Journal, hashing: Hashing): Promise<SnapshotState> {
    const snapshot = await journal.snapshot()
    try {
      return new SnapshotState(snapshot, hashing, await snapshot.get(headKey.bytes))
    } catch (error) {
      await snapshot.close()
      throw error
    }
  }

  /** 0 if the views are empty, have an older form, or are computed again now. */
  get seq(): Seq {
    return this.#row === undefined || this.#row.views < viewsVersion ? 0 : this.#row.seq
  }

  /** @throws StorageError `LogCorrupt` if this is the state after another event than the end of the log */
  assertAfter({ seq, hash }: Tip): this {
    if (this.seq === seq && this.#row !== undefined && this.#row.hash !== hash) throw corruptEvent(seq, 'chain')
    return this
  }

  close(): Promise<void> {
    return this.snapshot.close()
  }
}

export const newerViews = (views: number): StorageError =>
  new StorageError('UnsupportedFormat', `A newer release uses this journal: its views have version ${views}.`, {
    details: { kind: 'newer', version: views },
  })

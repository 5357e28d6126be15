/** The newest committed state, in which the commit writer decides. */
import { corruptEvent } from '../events/event-codec.ts'
import { StorageError } from '../base/errors.ts'
import type { Hashing, Journal, RowChange, RowSnapshot, Seq, Tip } from '../ports/index.ts'
import type { HotRows } from '../views/hot-rows.ts'
import { NewestReader } from '../views/newest-reader.ts'
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
export const newestState = (journal: Journal, hashing: Hashing, hot: HotRows): NewestState => ({
  rows: committedRows(new NewestReader(journal, hot), hashing),
})

/** A snapshot of a journal that other engines change, with the position that its views contain. */
export class SnapshotState implements NewestState {
  readonly rows: Rows
  readonly head: RowChange
  readonly #row: HeadRow | undefined
  readonly snapshot: RowSnapshot
  /** False if the views have an older form, or if an engine computes them now. */
  readonly isComplete: boolean

  private constructor(
    snapshot: RowSnapshot,
    hashing: Hashing,
    { frame, isEmpty }: { readonly frame: Uint8Array | undefined; readonly isEmpty: boolean },
  ) {
    this.snapshot = snapshot
    this.rows = committedRows(snapshot, hashing)
    this.head = { key: headKey.bytes, value: frame ?? null }
    this.#row = frame && decodeRow<HeadRow>(hashing, headKey.bytes, frame)
    const { views = viewsVersion } = this.#row ?? {}
    if (views > viewsVersion) throw newerViews(views)
    this.isComplete = this.#row === undefined ? isEmpty : views === viewsVersion && this.#row.partial !== true
  }

  /** @throws StorageError `UnsupportedFormat` if a newer release has computed the views */
  static async take(journal: Journal, hashing: Hashing): Promise<SnapshotState> {
    const snapshot = await journal.snapshot()
    try {
      const frame = await snapshot.get(headKey.bytes)
      return new SnapshotState(snapshot, hashing, {
        frame,
        isEmpty: frame === undefined && (await journal.head()) === 0,
      })
    } catch (error) {
      await snapshot.close()
      throw error
    }
  }

  /** The last event that the views contain. */
  get seq(): Seq {
    return this.#row?.seq ?? 0
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

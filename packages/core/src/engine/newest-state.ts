/** The newest committed state, in which the commit writer decides. */
import type { Hashing, Journal, RowChange, RowSnapshot, Seq, RowSnapshotOptions, Tip } from '../ports/index.ts'
import type { HotRows } from '../views/hot-rows.ts'
import type { Sharing } from '../sharing/sharing.ts'
import { NewestReader } from '../views/newest-reader.ts'
import { committedRows, type Rows } from '../views/row-reader.ts'
import { headKey } from '../views/tables.ts'
import { HeadState } from './head-state.ts'

export interface NewestState {
  readonly rows: Rows
  /** The head row as it is stored. Absent if no other engine can change it. */
  readonly head?: RowChange
  /**
   * Resolves when the state is still the newest, or when a commit that expects it will show that. Absent if no other engine can change
   * it. @throws StateMoved
   */
  confirm?(isExpected: boolean): Promise<void>
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
  readonly #head: HeadState
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
    this.#head = new HeadState(hashing, frame)
    this.isComplete = frame === undefined ? isEmpty : this.#head.isComplete
  }

  /** @throws StorageError `UnsupportedFormat` if a newer release has computed the views */
  static async take(journal: Journal, hashing: Hashing, options?: RowSnapshotOptions): Promise<SnapshotState> {
    const snapshot = await journal.snapshot(options)
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
    return this.#head.seq
  }

  /** @throws StorageError `LogCorrupt` if this is the state after another event than the end of the log */
  assertAfter(end: Tip): this {
    this.#head.assertAfter(end)
    return this
  }

  close(): Promise<void> {
    return this.snapshot.close()
  }
}

interface NewestSnapshotOptions {
  readonly journal: Journal
  readonly hashing: Hashing
  readonly recorder: { readonly end: Tip }
  readonly known: { readonly seq: Seq }
  readonly sharing: Pick<Sharing, 'protect'>
  readonly completeViews: () => Promise<void>
}

/** The newest state of a shared journal, once the writer has followed the log up to it. */
export async function newestSnapshot(
  { journal, hashing, recorder, known, sharing, completeViews }: NewestSnapshotOptions,
  follow: (seen: Seq) => Promise<void>,
): Promise<SnapshotState> {
  for (;;) {
    await sharing.protect()
    const state = await SnapshotState.take(journal, hashing, { forWriter: true })
    const { seq, isComplete } = state
    const before = known.seq
    if (isComplete && seq === before) return state.assertAfter(recorder.end)
    await state.close()
    if (isComplete) await follow(seq)
    if (!isComplete || seq < before) await completeViews()
  }
}

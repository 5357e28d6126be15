/** What the head row says about a state of the views. */
import { corruptEvent } from '../events/event-codec.ts'
import { StorageError } from '../base/errors.ts'
import type { Hashing, Seq, Tip } from '../ports/index.ts'
import { decodeRow } from '../views/row-codec.ts'
import type { HeadRow } from '../views/rows.ts'
import { headKey, viewsVersion } from '../views/tables.ts'
import type { ViewsEnd } from './recorder.ts'

/** The head row of views that contain the log up to its end. */
export const headRowAt = ({ seq, at, hash }: ViewsEnd): HeadRow => ({ seq, at, hash, views: viewsVersion })

export class HeadState {
  readonly #row: HeadRow | undefined

  /** @throws StorageError `UnsupportedFormat` if a newer release has computed the views, `RowCorrupt` */
  constructor(hashing: Hashing, frame: Uint8Array | undefined) {
    this.#row = frame && decodeRow<HeadRow>(hashing, headKey.bytes, frame)
    const { views = viewsVersion } = this.#row ?? {}
    if (views > viewsVersion) throw newerViews(views)
  }

  /** The last event that the views contain. */
  get seq(): Seq {
    return this.#row?.seq ?? 0
  }

  /**
   * False if the views have an older form, if an engine computes them now, or if they are not there.
   */
  get isComplete(): boolean {
    return this.#row?.views === viewsVersion && this.#row.partial !== true
  }

  /** @throws StorageError `LogCorrupt` if this is the state after another event than the end of the log */
  assertAfter({ seq, hash }: Tip): void {
    if (this.seq === seq && this.#row !== undefined && this.#row.hash !== hash) throw corruptEvent(seq, 'chain')
  }
}

export const newerViews = (views: number): StorageError =>
  new StorageError('UnsupportedFormat', `A newer release uses this journal: its views have version ${views}.`, {
    details: { kind: 'newer', version: views },
  })

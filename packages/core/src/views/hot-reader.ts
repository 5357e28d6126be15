/** One state of the rows for one read: hot rows come from memory, others from a snapshot that is taken when needed. */
import { type Soon, soonOrFailed, whenThere } from '../base/soon.ts'
import type { RowCursor, RowRange, RowReader, RowSnapshot } from '../ports/index.ts'
import { absentRow, type HotRows } from './hot-rows.ts'
import { lateCursor } from './late-cursor.ts'
import type { DecodedReader, PastAnswer, PastAnswers } from './row-reader.ts'
import { isMostlyAbsent } from './tables.ts'

type Spend = (rows: number) => void

export class HotReader implements DecodedReader, PastAnswers {
  readonly #hot: HotRows
  readonly #open: () => RowSnapshot | Promise<RowSnapshot>
  readonly #spend: Spend
  readonly #begun: number
  #state: number
  #snapshot: RowSnapshot | undefined
  #opening: Promise<RowSnapshot> | undefined
  /** Keys of the hot rows that were returned before the snapshot was taken. */
  readonly #given: Uint8Array[] = []
  #isLate = false
  /** The snapshot is taken, and its commits are known. */
  #isFixed = false
  #torn = false

  /** `spend` is called with the number of rows that each read requests. */
  constructor(hot: HotRows, open: () => RowSnapshot | Promise<RowSnapshot>, spend: Spend = () => undefined) {
    this.#hot = hot
    this.#open = open
    this.#spend = spend
    this.#begun = this.#state = hot.settled
  }

  /** Over a snapshot that was taken when `state` had settled. The caller closes the snapshot. */
  static over(
    hot: HotRows,
    { snapshot, state }: { readonly snapshot: RowSnapshot; readonly state: number },
    spend: Spend,
  ): HotReader {
    const reader = new HotReader(hot, () => snapshot, spend)
    reader.#state = state
    reader.#snapshot = snapshot
    reader.#isFixed = true
    return reader
  }

  /**
   * Over a snapshot that another process takes, later than `open` returns. The commits that it contains have been announced
   * when its first row arrives.
   */
  static late(hot: HotRows, open: () => RowSnapshot, spend?: Spend): HotReader {
    const reader: HotReader = new HotReader(hot, () => noted(open(), () => reader.#arrived()), spend)
    reader.#isLate = true
    return reader
  }

  /** True if returned rows may differ from those of the snapshot. Results of this read must then be discarded. */
  get torn(): boolean {
    return this.#torn
  }

  get answers(): PastAnswers {
    return this
  }

  answer(question: string): PastAnswer | undefined {
    return this.#hot.answer(question)
  }

  /** Rows of two states may have led to a wrong answer. */
  keepAnswer(question: string, answer: PastAnswer): void {
    if (!this.#torn) this.#hot.keepAnswer(question, answer)
  }

  /**
   * Asks for rows of one state, and closes the snapshot. If commits meanwhile led to rows of two states, `again` asks once
   * more. At once, if all rows are in memory.
   */
  ask<R>(ask: (rows: RowReader) => Soon<R>, again: () => Promise<R>): Soon<R> {
    const answer = soonOrFailed<R>(
      () => ask(this),
      (error) => Promise.reject(error),
    )
    const hasSnapshot = this.#snapshot !== undefined || this.#opening !== undefined
    return answer instanceof Promise || hasSnapshot ? this.#untorn(answer, again) : answer
  }

  async #untorn<R>(answer: Soon<R>, again: () => Promise<R>): Promise<R> {
    try {
      const there = await answer
      if (!this.#torn) return there
    } catch (error) {
      if (!this.#torn) throw error
    } finally {
      await this.close()
    }
    return again()
  }

  /** Takes the snapshot now, so that the read cannot be torn. */
  async pin(): Promise<void> {
    await this.#pinned()
  }

  row<R>(key: Uint8Array, decode: (frame: Uint8Array) => R): Soon<R | undefined> {
    this.#spend(1)
    const hot = this.#hot.find(key, this.#state)
    if (hot !== undefined) {
      if (!this.#isFixed) this.#given.push(key)
      return hot === absentRow ? undefined : (hot as R)
    }
    return whenThere(this.#frame(key), (frame) => {
      if (frame !== undefined) return this.#kept(key, decode(frame), frame.length)
      if (isMostlyAbsent(key)) this.#hot.keep(key, absentRow, 0, this.#state)
      return undefined
    })
  }

  get(key: Uint8Array): Soon<Uint8Array | undefined> {
    this.#spend(1)
    return this.#frame(key)
  }

  async getMany(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | undefined)[]> {
    this.#spend(keys.length)
    return (await this.#pinned()).getMany(keys)
  }

  cursor(range: RowRange): RowCursor {
    const pinned = this.#pinned()
    const cursor = pinned instanceof Promise ? lateCursor(pinned, range) : pinned.cursor(range)
    return {
      next: (count) => {
        this.#spend(count)
        return cursor.next(count)
      },
      seek: (key) => cursor.seek(key),
      close: () => cursor.close(),
    }
  }

  /** A promise only if there is a snapshot to close. */
  close(): Soon<void> {
    if (this.#snapshot !== undefined) return this.#snapshot.close()
    return this.#opening?.then(
      (snapshot) => snapshot.close(),
      () => undefined,
    )
  }

  #frame(key: Uint8Array): Soon<Uint8Array | undefined> {
    return whenThere(this.#pinned(), (reader) => reader.get(key))
  }

  #kept<R>(key: Uint8Array, row: R, frameBytes: number): R {
    this.#hot.keep(key, row as object, frameBytes, this.#state)
    return row
  }

  #pinned(): Soon<RowReader> {
    if (this.#snapshot !== undefined) return this.#snapshot
    if (this.#opening !== undefined) return this.#opening
    // Read the state first: a commit that settles before the snapshot is taken is in the snapshot but must not count for
    // the state.
    const state = this.#hot.settled
    const snapshot = this.#open()
    if (!(snapshot instanceof Promise)) return this.#took(snapshot, state)
    return (this.#opening = snapshot.then((opened) => this.#took(opened, state)))
  }

  #took(snapshot: RowSnapshot, state: number): RowSnapshot {
    this.#snapshot = snapshot
    this.#state = state
    if (!this.#isLate) this.#arrived()
    return snapshot
  }

  #arrived(): void {
    this.#isFixed = true
    const [hot, begun] = [this.#hot, this.#begun]
    this.#torn = hot.isForgottenSince(begun) || this.#given.some((key) => hot.isTouchedSince(key, begun))
  }
}

/** Calls `arrived` when the first rows of the snapshot arrive. */
function noted(snapshot: RowSnapshot, arrived: () => void): RowSnapshot {
  let isFirst = true
  const note = <T>(rows: T): T => {
    if (isFirst) arrived()
    isFirst = false
    return rows
  }
  return {
    get: (key) => whenThere(snapshot.get(key), note),
    getMany: (keys) => snapshot.getMany(keys).then(note),
    cursor(range) {
      const cursor = snapshot.cursor(range)
      return {
        next: (count) => cursor.next(count).then(note),
        seek: (key) => cursor.seek(key),
        close: () => cursor.close(),
      }
    },
    close: () => snapshot.close(),
  }
}

/**
 * Rows of a log that another process owns, kept here while that process announces each commit that changes one of them.
 * The owner writes such a commit only when it has the confirmation of the announcement. So a row that is kept here is the
 * newest one, and a read needs no row of the owner if all its rows are kept.
 *
 * The announcements stand for the commits of `HotRows`: they are numbered as they arrive.
 */
import type { Soon } from '../base/soon.ts'
import type { RowReader, RowSnapshot, Timer } from '../ports/index.ts'
import { TurnTaking } from '../scheduling/turn-taking.ts'
import { HotReader } from '../views/hot-reader.ts'
import { HotRows } from '../views/hot-rows.ts'
import { rowHash } from '../views/row-hash.ts'
import type { RowChanges } from './log-service.ts'

/** How many bytes of each kind are kept. */
export interface HeldBytes {
  readonly rows: number
  /** Bytes of small objects, and data keys. */
  readonly frames: number
}

/** The rows that this process keeps. */
export class HeldRows implements RowChanges {
  readonly #rows: HotRows
  readonly #frames: HotRows
  readonly #turns: TurnTaking

  /** Without a timer, reads of kept rows never let the event loop run. */
  constructor({ rows, frames }: HeldBytes, timer?: Pick<Timer, 'nextTurn'>) {
    this.#turns = new TurnTaking(timer)
    this.#rows = new HotRows(rows)
    this.#frames = new HotRows(frames)
  }

  get settled(): number {
    return this.#rows.settled
  }

  isTouchedSince(key: Uint8Array, state: number): boolean {
    return this.#rows.isTouchedSince(key, state)
  }

  /** The owner announces a commit that changes rows with these hashes. */
  drop(hashes: readonly number[]): void {
    this.#rows.touch(hashes)
    this.#frames.touch(hashes)
  }

  dropAll(): void {
    this.#rows.forgetAll()
    this.#frames.forgetAll()
  }

  /** The owner does not announce changes of this row, which it has just sent. */
  notHeld(key: Uint8Array): void {
    this.drop([rowHash(key)])
  }

  /** Reads one committed state. `open` names a snapshot that the owner takes when it is first read. */
  async withSnapshot<R>(open: () => RowSnapshot, ask: (rows: RowReader) => Soon<R>): Promise<R> {
    const turn = this.#turns.wait()
    if (turn !== undefined) await turn
    const reader = HotReader.late(this.#rows, open, (rows) => this.#turns.spend(rows))
    return reader.ask(ask, () => this.#askOwner(open, ask))
  }

  async #askOwner<R>(open: () => RowSnapshot, ask: (rows: RowReader) => Soon<R>): Promise<R> {
    const snapshot = open()
    try {
      return await ask(snapshot)
    } finally {
      await snapshot.close()
    }
  }

  /** The bytes of a row outside the views, as they are or as `read` reads them. */
  frame(key: Uint8Array, read: () => Promise<Uint8Array | undefined>): Soon<Uint8Array | undefined> {
    const state = this.#frames.settled
    const found = this.#frames.find(key, state) as Uint8Array | undefined
    if (found !== undefined) return found
    return read().then((frame) => {
      if (frame !== undefined) this.#frames.keepFrame(key, frame, state)
      return frame
    })
  }
}

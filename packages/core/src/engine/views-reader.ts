/**
 * Reads one committed state of the rows: from memory where possible, else from a snapshot. Reads wait while views are
 * computed again, so that they never see a part of them.
 */
import type { Soon } from '../base/soon.ts'
import type { StorageError } from '../base/errors.ts'
import type { RowReader, RowSnapshot, Tip } from '../ports/index.ts'
import type { TurnTaking } from '../scheduling/turn-taking.ts'
import { guardOf, type Sharing, viewsJob } from '../sharing/sharing.ts'
import { HotReader } from '../views/hot-reader.ts'
import type { HotRows } from '../views/hot-rows.ts'
import type { CommitWriter } from './commit-writer.ts'
import { HeadState } from './head-state.ts'
import { SnapshotState } from './newest-state.ts'
import { bringViews } from './open-log.ts'
import { SharedReader } from './shared-reader.ts'
import type { StorePorts } from './store-ports.ts'

export interface ViewsReaderOptions {
  readonly ports: Pick<StorePorts, 'journal' | 'hashing' | 'clock'>
  readonly sharing: Sharing
  readonly writer: CommitWriter
  readonly hot: HotRows
  readonly turns: TurnTaking
  /** The end of the log that this engine knows. */
  readonly tip: () => Tip
  /** How old the state may be that `withRecent` shows, in milliseconds. 0: the newest. */
  readonly staleMs: number
}

/** A read that others' commits disturb so often takes a snapshot. */
const attemptsMax = 3

export class ViewsReader {
  readonly #options: ViewsReaderOptions
  readonly #spend: (rows: number) => void
  #lost: StorageError | undefined
  #rebuilding: Promise<void> | undefined
  #completing: Promise<void> | undefined
  #refreshing: Promise<void> | undefined
  /** When this engine last began to ask for the end of the log: since then it knows all that was acknowledged before. */
  #seenAt = Number.NEGATIVE_INFINITY
  /** One computation of the views at a time: they share the lease, so it does not keep them apart. */
  #turn: Promise<unknown> = Promise.resolve()

  constructor(options: ViewsReaderOptions) {
    this.#options = options
    this.#spend = (rows) => options.turns.spend(rows)
  }

  /** @throws StorageError `StoreFailed` if a rebuild was interrupted, or the log was damaged */
  assertWhole(): void {
    if (this.#lost !== undefined) throw this.#lost
  }

  /**
   * For views that are only partly rebuilt: reads and writes fail until the store is opened again and rebuilds them.
   */
  lose(cause: unknown): void {
    this.#lost = this.#options.writer.fail(cause)
  }

  /** For damage of stored rows, which reads may not notice: reads and writes fail until the store is opened again. */
  distrust(cause: unknown): void {
    this.#lost = this.#options.writer.fail(
      cause,
      'The log was damaged while the store was open: reads and writes are refused until it is opened again.',
    )
    void this.#options.hot.holders.dropAll()
  }

  /** Rebuilds views while no engine commits. */
  rebuild(make: () => Promise<void>): Promise<void> {
    // The turn of the writer comes first: a writer that waits for whole views holds it too.
    return this.#options.writer.exclusively(() => this.#computing(() => this.#make(make)))
  }

  /** At once, if nothing has to be waited for and all rows are in memory. */
  withSnapshot<R>(ask: (rows: RowReader) => Soon<R>): Soon<R> {
    const turn = this.#options.turns.wait()
    const isWhole = this.#rebuilding === undefined && this.#lost === undefined
    if (turn === undefined && isWhole && !this.#options.sharing.isShared) return this.#ask(ask)
    return this.#askLater(turn, ask)
  }

  /**
   * As `withSnapshot`, but rows in memory are used without asking the journal whether other engines have changed them, if
   * it was asked a short time ago. It is still one state, never older than one that this engine has shown, and it has all
   * commits of this engine.
   */
  withRecent<R>(ask: (rows: RowReader) => Soon<R>): Soon<R> {
    const { sharing, staleMs, turns } = this.#options
    if (!sharing.isShared || staleMs === 0) return this.withSnapshot(ask)
    const turn = turns.wait()
    const isWhole = this.#rebuilding === undefined && this.#lost === undefined
    if (turn !== undefined || !isWhole || !this.#isRecent()) return this.#askRecentLater(turn, ask)
    const protecting = sharing.protect()
    return protecting === undefined ? this.#askRecent(ask) : this.#askRecentLater(protecting, ask)
  }

  async #askRecentLater<R>(before: Promise<void> | undefined, ask: (rows: RowReader) => Soon<R>): Promise<R> {
    await before
    await this.#whole()
    if (!this.#isRecent()) await this.refresh()
    await this.#options.sharing.protect()
    // A journal may take longer to answer than its answer counts.
    return this.#isRecent() ? this.#askRecent(ask) : this.#askShared(ask)
  }

  #isRecent(): boolean {
    const { ports, staleMs } = this.#options
    return ports.clock.monotonic() - this.#seenAt <= staleMs
  }

  /** Rows that are not in memory come from a snapshot. If that is of a later state, all rows do. */
  #askRecent<R>(ask: (rows: RowReader) => Soon<R>): Soon<R> {
    const open = async (): Promise<RowSnapshot> => (await this.pin()).snapshot
    return new HotReader(this.#options.hot, open, this.#spend).ask(ask, () => this.#askShared(ask))
  }

  /** Asks once for the newest state, for all who wait for it. */
  refresh(): Promise<void> {
    return (this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined
    }))
  }

  async #refresh(): Promise<void> {
    const state = await this.pin()
    await state.close()
  }

  async #askLater<R>(turn: Promise<void> | undefined, ask: (rows: RowReader) => Soon<R>): Promise<R> {
    if (turn !== undefined) await turn
    if (this.#rebuilding !== undefined || this.#lost !== undefined) await this.#whole()
    return this.#options.sharing.isShared ? this.#askShared(ask) : this.#ask(ask)
  }

  #ask<R>(ask: (rows: RowReader) => Soon<R>): Soon<R> {
    return this.#reader().ask(ask, () => this.#askPinned(ask))
  }

  /** Another engine computes the views now, or stopped while it did: waits for it, and does the rest. */
  complete(): Promise<void> {
    const { ports, sharing } = this.#options
    const make = () => bringViews(ports, { guard: guardOf(sharing, viewsJob) })
    return (this.#completing ??= this.#computing(make).finally(() => {
      this.#completing = undefined
    }))
  }

  #computing(work: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(() => this.#options.sharing.alone(viewsJob, work))
    this.#turn = done.catch(() => undefined)
    return done
  }

  async #make(make: () => Promise<void>): Promise<void> {
    const { hot } = this.#options
    hot.forgetAll()
    const making = make()
    this.#rebuilding = making.catch(() => undefined)
    try {
      await making
    } finally {
      hot.forgetAll()
      await hot.holders.dropAll()
      this.#rebuilding = undefined
    }
  }

  async #askPinned<R>(ask: (rows: RowReader) => Soon<R>): Promise<R> {
    await this.#whole()
    const reader = this.#reader()
    try {
      await reader.pin()
      return await ask(reader)
    } finally {
      await reader.close()
    }
  }

  /** The newest state, until it is closed. */
  async pin(): Promise<SnapshotState> {
    const { ports, sharing, writer, tip } = this.#options
    for (;;) {
      await this.#whole()
      await sharing.protect()
      const begun = ports.clock.monotonic()
      const known = writer.committed
      const state = await SnapshotState.take(ports.journal, ports.hashing)
      try {
        if (state.isComplete && state.seq >= known) {
          await writer.follow(state.seq)
          state.assertAfter(tip())
          this.#seenAt = Math.max(this.#seenAt, begun)
          return state
        }
      } catch (error) {
        await state.close()
        throw error
      }
      await state.close()
      await this.#whole()
      if (state.isComplete) await writer.assertKept(state.seq)
      await this.complete()
    }
  }

  /** Reads one state that was the newest of all engines at a moment after the call. */
  async #askShared<R>(ask: (rows: RowReader) => Soon<R>): Promise<R> {
    const { sharing } = this.#options
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      await this.#whole()
      await sharing.protect()
      const answer = await this.#try(ask)
      if (answer !== undefined) return answer.is
    }
    return this.#askSharedPinned(ask)
  }

  /** `undefined` if the state has moved meanwhile. */
  async #try<R>(ask: (rows: RowReader) => Soon<R>): Promise<{ readonly is: R } | undefined> {
    const reader = this.#sharedReader()
    try {
      const is = await ask(reader)
      await reader.confirm()
      return reader.hasMoved ? undefined : { is }
    } catch (error) {
      // A refusal must be true in a state that was the newest, as an answer must.
      if (!reader.hasMoved) await reader.confirm().catch(() => undefined)
      if (!reader.hasMoved) throw error
      return undefined
    } finally {
      await reader.close()
    }
  }

  #sharedReader(): SharedReader {
    const { ports, hot, writer, tip } = this.#options
    const known = writer.committed
    return new SharedReader({
      newest: writer.newest,
      hot,
      spend: this.#spend,
      snapshot: () => ports.journal.snapshot(),
      async accept(frame, settled) {
        const head = new HeadState(ports.hashing, frame)
        if (!head.isComplete || head.seq < known) return undefined
        await writer.follow(head.seq)
        head.assertAfter(tip())
        return { seq: head.seq, hot: writer.committed === head.seq ? hot.settled : settled }
      },
    })
  }

  /** As `#askShared`, for a state that waits until the answer is there, whatever others commit meanwhile. */
  async #askSharedPinned<R>(ask: (rows: RowReader) => Soon<R>): Promise<R> {
    const { hot } = this.#options
    // Read it first: whatever settles before the snapshot is taken is in the snapshot.
    const settled = hot.settled
    const state = await this.pin()
    try {
      return await ask(HotReader.over(hot, { snapshot: state.snapshot, state: settled }, this.#spend))
    } finally {
      await state.close()
    }
  }

  async #whole(): Promise<void> {
    while (this.#rebuilding !== undefined) await this.#rebuilding
    this.assertWhole()
  }

  #reader(): HotReader {
    const { hot, ports } = this.#options
    return new HotReader(hot, () => ports.journal.snapshot(), this.#spend)
  }
}

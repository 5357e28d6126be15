/**
 * The owner of the log: the ports, the commit writer, the reads in progress, and the blobs that no commit names yet.
 */
import type { Command } from '../commands/command.ts'
import { ActiveReads } from '../content/active-reads.ts'
import { StorageError } from '../base/errors.ts'
import type { RecordedEvent } from '../events/index.ts'
import type { BlobId, Journal, RowReader, Seq, Tip } from '../ports/index.ts'
import type { ClockStatus, StoreClock } from '../time/store-clock.ts'
import { HotReader } from '../views/hot-reader.ts'
import { HotRows } from '../views/hot-rows.ts'
import type { Observing } from '../observing/observing.ts'
import { OpenParts } from '../views/open-parts.ts'
import { committedRows } from '../views/row-reader.ts'
import { blobTable } from '../views/tables.ts'
import { CommitWriter } from './commit-writer.ts'
import type { InlineRows } from '../requests/log-service.ts'
import { RequestEngine } from '../requests/request-engine.ts'
import type { OwnedLog, RowChanges, StoreState } from '../requests/log-service.ts'
import { positionOf } from './position-of.ts'
import type { LogEnd } from './recorder.ts'
import { Recorder } from './recorder.ts'
import type { StorePorts } from './store-ports.ts'
import type { StoreOptions } from './store-options.ts'
import { TurnTaking } from '../scheduling/turn-taking.ts'
import { WitnessKeeper } from './witness-keeper.ts'

export interface EngineOptions {
  readonly inlineMax: number
  readonly groupMax: number
  readonly retentionMs: number
  readonly hotBytes: number
  readonly lifecycleDayMs: number
  readonly witness: StoreOptions['witness']
  /** Refuses every write with `ReadOnly`. @default false */
  readonly readOnly?: boolean
  /** Absent: nothing is measured. */
  readonly observing?: Observing | undefined
}

type CommitListener = (events: readonly RecordedEvent[]) => void

export class Engine implements OwnedLog {
  readonly ports: StorePorts
  readonly options: EngineOptions
  readonly clock: StoreClock
  readonly writer: CommitWriter
  readonly reads = new ActiveReads()
  /** Blobs that were written and are not yet part of the log. */
  readonly inFlight = new Set<BlobId>()
  /** Answers the requests of this process. */
  readonly requests: RequestEngine
  readonly turns: TurnTaking
  readonly #hot: HotRows
  readonly #recorder: Recorder
  readonly #witness: WitnessKeeper
  readonly #listeners = new Set<CommitListener>()
  #closing: Promise<void> | undefined
  #lostViews: StorageError | undefined
  #rebuilding: Promise<void> | undefined

  constructor(ports: StorePorts, options: EngineOptions, end: LogEnd, clock: StoreClock) {
    this.ports = ports
    this.options = options
    this.clock = clock
    this.turns = new TurnTaking(ports.timer)
    const { observing } = options
    this.#hot = new HotRows(options.hotBytes, observing?.tally('rows'))
    this.requests = new RequestEngine(this, ports, options)
    this.#witness = new WitnessKeeper(ports)
    this.#recorder = new Recorder(clock, ports.hashing, end)
    this.writer = new CommitWriter({
      journal: ports.journal,
      hashing: ports.hashing,
      recorder: this.#recorder,
      hot: this.#hot,
      turns: this.turns,
      openParts: new OpenParts(options.hotBytes, observing?.tally('parts')),
      observing,
      groupMax: options.groupMax,
      ...(options.readOnly === true && { refusal: readOnly() }),
      ...(options.witness === 'synced' && { writeWitness: (tip: Tip) => this.#witness.write(tip) }),
      onCommitted: (events) => this.#publish(events),
    })
  }

  get closed(): boolean {
    return this.#closing !== undefined
  }

  get state(): StoreState {
    if (this.closed) return 'closed'
    return this.writer.failure === undefined || this.options.readOnly === true ? 'open' : 'failed'
  }

  get failure(): StorageError | undefined {
    return this.writer.failure
  }

  get log(): Journal {
    return this.ports.journal
  }

  get changes(): RowChanges {
    return this.#hot
  }

  get clockStatus(): ClockStatus {
    return this.clock.status(this.#recorder.end.at)
  }

  /** @throws StorageError `ReadOnly` */
  assertWritable(): void {
    if (this.options.readOnly === true) throw readOnly()
  }

  assertOpen(): void {
    if (this.closed) throw new StorageError('StoreClosed', 'The store is closed.')
    if (this.#lostViews !== undefined) throw this.#lostViews
  }

  /**
   * For views that are only partly rebuilt: reads and writes fail until the store is opened again and rebuilds them.
   */
  loseViews(cause: unknown): void {
    this.#lostViews = this.fail(cause)
  }

  /** Rebuilds views while no commit runs. Reads wait, so that they never see partial views. */
  async rebuildViews(make: () => Promise<void>): Promise<void> {
    await this.writer.exclusively(async () => {
      this.#hot.forgetAll()
      const making = make()
      this.#rebuilding = making.catch(() => undefined)
      try {
        await making
      } finally {
        this.#hot.forgetAll()
        this.#rebuilding = undefined
      }
    })
  }

  async withSnapshot<R>(ask: (rows: RowReader) => Promise<R>): Promise<R> {
    const turn = this.turns.wait()
    if (turn !== undefined) await turn
    if (this.#rebuilding !== undefined || this.#lostViews !== undefined) await this.#wholeViews()
    const reader = this.#reader()
    try {
      const answer = await ask(reader)
      if (!reader.torn) return answer
    } catch (error) {
      if (!reader.torn) throw error
    } finally {
      await reader.close()
    }
    return this.#askPinned(ask)
  }

  async #askPinned<R>(ask: (rows: RowReader) => Promise<R>): Promise<R> {
    await this.#wholeViews()
    const reader = this.#reader().pin()
    try {
      return await ask(reader)
    } finally {
      await reader.close()
    }
  }

  async #wholeViews(): Promise<void> {
    while (this.#rebuilding !== undefined) await this.#rebuilding
    if (this.#lostViews !== undefined) throw this.#lostViews
  }

  #reader(): HotReader {
    return new HotReader(
      this.#hot,
      () => this.ports.journal.snapshot(),
      (rows) => this.turns.spend(rows),
    )
  }

  submit(command: Command, inlineRows?: InlineRows): Promise<readonly RecordedEvent[]> {
    return this.writer.submit(command, inlineRows)
  }

  fail(cause: unknown): StorageError {
    return this.writer.fail(cause)
  }

  beginRead(at: Seq = this.writer.committed): () => void {
    return this.reads.begin(at)
  }

  positionOf(when: Seq | Date): Promise<Seq> {
    const { ports, clock, writer } = this
    const log = { ports, end: writer.committed, isPastOrPresent: (at: number) => clock.isPastOrPresent(at) }
    return positionOf(log, when)
  }

  erased(at: Seq): Promise<void> | undefined {
    return this.reads.erased(at)
  }

  assertRoom(): Promise<void> {
    return this.requests.assertRoom()
  }

  async releaseMarks(ids: readonly BlobId[]): Promise<void> {
    await this.writer.idle()
    // A commit with an unknown outcome may name these blobs; opening the store again settles it.
    if (this.state !== 'open') return
    const { journal, hashing, blobs } = this.ports
    const rows = committedRows(journal, hashing)
    const named = await Promise.all(ids.map((id) => rows.get(blobTable.key(id))))
    try {
      await blobs.delete(ids.filter((_, i) => named[i] === undefined))
    } finally {
      for (const id of ids) this.inFlight.delete(id)
    }
  }

  /**
   * Calls back for every commit, in order; with an empty list when the store closes. Returns a function that ends it.
   */
  onCommitted(listener: CommitListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * Waits for running requests, writes the witness and then closes the ports. `lastWork` resolves when the store's jobs
   * commit nothing more.
   */
  close(lastWork: () => Promise<void>, closePorts: () => Promise<void>): Promise<void> {
    return (this.#closing ??= this.#closeAll(lastWork, closePorts).finally(() => this.options.observing?.end()))
  }

  async #closeAll(lastWork: () => Promise<void>, closePorts: () => Promise<void>): Promise<void> {
    try {
      await this.#close(lastWork)
    } catch (error) {
      // Report the first error, not one of the closing.
      await closePorts().catch(() => undefined)
      throw error
    }
    await closePorts()
  }

  async #close(lastWork: () => Promise<void>): Promise<void> {
    try {
      await lastWork()
      await this.writer.idle()
      await this.requests.openReads.end(new StorageError('StoreClosed', 'The store is closed.'))
      await this.#witness.stop()
      await this.clock.close()
      if (this.writer.failure === undefined) await this.#witness.write(this.#recorder.end)
    } finally {
      this.#publish([])
    }
  }

  #publish(events: readonly RecordedEvent[]): void {
    if (events.length > 0) {
      this.#witness.note(this.#recorder.end)
      this.clock.observe(this.#recorder.end.seq)
    }
    for (const listener of this.#listeners) {
      try {
        listener(events)
      } catch (error) {
        // Listeners cannot undo a commit, so their errors surface as unhandled rejections, not here.
        void Promise.reject(error instanceof Error ? error : new Error(String(error)))
      }
    }
  }
}

const readOnly = (): StorageError =>
  new StorageError('ReadOnly', 'The store is open to be read alone: open it without readOnly to write.')

/**
 * The log as one transaction sees it: a state of the store that stays the same, with the transaction's own commands over
 * it. They are decided at once in that state, under provisional positions, and again when they are committed.
 */
import type { Soon } from '../base/soon.ts'
import type { Command } from '../commands/command.ts'
import { StorageError } from '../base/errors.ts'
import { provisionalStart } from '../concurrency/provisional-positions.ts'
import { TransactionReads } from '../concurrency/transaction-reads.ts'
import { decideWrite, type WrittenCommand } from '../engine/decide-write.ts'
import type { Engine } from '../engine/engine.ts'
import type { SnapshotState } from '../engine/newest-state.ts'
import { Recorder } from '../engine/recorder.ts'
import type { RecordedEvent } from '../events/index.ts'
import type { Moment } from '../moments/moment.ts'
import type { RowReader, Seq } from '../ports/index.ts'
import type { LogService, SideRows, StoreState } from '../requests/log-service.ts'
import { RowTransaction } from '../views/row-transaction.ts'
import { HeldBlobs } from './held-blobs.ts'
import { NotedRows } from './noted-rows.ts'
import { OverlaidReader, OwnChanges } from './overlaid-reader.ts'

/** The maximum number of commands. Other writers wait for their commit, for less than 100 ms: see ADR 42. */
const transactionCommandsMax = 250

export class TransactionLog implements LogService {
  readonly log: LogService['log']
  readonly inFlight: HeldBlobs
  readonly dependsOnReads = true
  readonly #engine: Engine
  readonly #state: SnapshotState
  readonly #release: () => void
  readonly #own = new OwnChanges()
  readonly #reader: RowReader
  /** What the answers so far depend on. */
  readonly #reads = new TransactionReads()
  /** What the decisions depend on. It counts once a refusal has shown some of it. */
  readonly #decisionReads = new TransactionReads()
  readonly #rows: RowTransaction
  readonly #recorder: Recorder
  readonly #commands: WrittenCommand[] = []
  readonly #seen: (readonly RecordedEvent[])[] = []
  /** One command at a time changes the rows. */
  #turn: Promise<unknown> = Promise.resolve()
  #hasEnded = false

  private constructor(engine: Engine, state: SnapshotState, release: () => void) {
    const { hashing, journal } = engine.ports
    this.#engine = engine
    this.#state = state
    this.#release = release
    this.#reader = new OverlaidReader(state.snapshot, this.#own, this.#reads)
    const bytes = new OverlaidReader(state.snapshot, this.#own)
    this.log = {
      get: (key) => bytes.get(key),
      getMany: (keys) => bytes.getMany(keys),
      cursor: (range) => bytes.cursor(range),
      events: (range) => journal.events(range),
    }
    this.inFlight = new HeldBlobs(engine.inFlight)
    this.#rows = new RowTransaction(new NotedRows(state.rows, this.#decisionReads), hashing)
    this.#recorder = new Recorder(engine.clock, hashing, {
      ...engine.writer.known.recorded,
      seq: provisionalStart,
    })
  }

  static async begin(engine: Engine): Promise<TransactionLog> {
    const endWrites = engine.writer.known.recent.begin(engine.writer.committed)
    const endRead = engine.beginRead()
    const release = () => {
      endRead()
      endWrites()
    }
    try {
      return new TransactionLog(engine, await engine.views.pin(), release)
    } catch (error) {
      release()
      throw error
    }
  }

  /** The position of the state that the transaction reads. */
  get seq(): Seq {
    return this.#state.seq
  }

  get state(): StoreState {
    return this.#engine.state
  }

  get failure(): StorageError | undefined {
    return this.#engine.failure
  }

  get makeRoom(): (() => Promise<void>) | undefined {
    return this.#engine.makeRoom
  }

  assertOpen(): void {
    if (this.#hasEnded) throw new StorageError('TransactionEnded', 'The transaction has ended.')
    this.#engine.assertOpen()
  }

  async withSnapshot<R>(ask: (rows: RowReader) => Soon<R>): Promise<R> {
    this.assertOpen()
    return ask(this.#reader)
  }

  async submit(command: Command, sideRows: SideRows = []): Promise<readonly RecordedEvent[]> {
    const deciding = this.#turn.then(() => this.#decide({ command, sideRows }))
    this.#turn = deciding.catch(() => undefined)
    return deciding
  }

  fail(cause: unknown): StorageError {
    return this.#engine.fail(cause)
  }

  /** The transaction protects the bytes of its own state as a whole. */
  beginRead(at?: Seq): () => void {
    return at === undefined ? () => undefined : this.#engine.beginRead(at)
  }

  erased(at: Seq): Promise<void> | undefined {
    return this.#engine.erased(at)
  }

  positionOf(moment: Moment): Promise<Seq> {
    return this.#engine.positionOf(moment)
  }

  /**
   * Commits the commands, all or nothing. Resolves with the last position; `undefined` if nothing was changed.
   * @throws StorageError `TransactionConflict`, `StoreFailed`
   */
  async commit(): Promise<Seq | undefined> {
    await this.#turn
    this.#hasEnded = true
    if (this.#commands.length === 0) return undefined
    const transaction = { since: this.seq, reads: this.#reads, seen: this.#seen }
    const events = await this.#engine.writer.submitWrite({ commands: this.#commands, transaction })
    this.inFlight.keep()
    return events.at(-1)?.seq
  }

  /** Gives back what the transaction holds. Without a commit, nothing of it remains. */
  async end(): Promise<void> {
    this.#hasEnded = true
    await this.#turn
    if (this.failure === undefined) await this.inFlight.discard(this.#engine.ports.blobs)
    else this.inFlight.leave()
    this.#release()
    await this.#state.close()
  }

  async #decide(written: WrittenCommand): Promise<readonly RecordedEvent[]> {
    this.assertOpen()
    if (this.#commands.length >= transactionCommandsMax) throw tooLarge()
    const { ports, sharing, writer } = this.#engine
    const options = { recorder: this.#recorder, hashing: ports.hashing, sharing, recent: writer.known.recent }
    const { recordings, refusal } = await decideWrite(options, this.#rows, { commands: [written] })
    if (refusal !== undefined) {
      this.#reads.addAll(this.#decisionReads)
      throw refusal as StorageError
    }
    const events = recordings.map(({ event }) => event)
    this.#own.add([...this.#rows.changesSinceSavepoint(), ...written.sideRows])
    this.#commands.push(written)
    this.#seen.push(events)
    return events
  }
}

const tooLarge = (): StorageError =>
  new StorageError(
    'TransactionTooLarge',
    `A transaction takes ${transactionCommandsMax} commands, and this is one more.`,
    {
      details: { max: transactionCommandsMax },
    },
  )

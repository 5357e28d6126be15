/**
 * The single commit writer. It decides commands one after another against the newest state, and commits a group of them
 * in one batch. One batch is in flight at a time, so a group costs one sync, whatever its size.
 *
 * Callers get their results after the batch is durable. A failed batch has an unknown outcome, so the writer stops for
 * good: queued and later commands get `StoreFailed`, and only opening the store again settles the outcome.
 */
import type { Command } from '../commands/command.ts'
import { decide } from '../decide/rules.ts'
import { isStorageError, StorageError } from '../base/errors.ts'
import type { RecordedEvent } from '../events/index.ts'
import { FairQueue } from '../scheduling/fair-queue.ts'
import type { Hashing, Journal, Seq, Tip } from '../ports/index.ts'
import type { HotRows } from '../views/hot-rows.ts'
import type { OpenParts } from '../views/open-parts.ts'
import { project } from '../views/project.ts'
import { committedRows } from '../views/row-reader.ts'
import { RowTransaction } from '../views/row-transaction.ts'
import { headKey, viewsVersion } from '../views/tables.ts'
import { isUnchanged } from '../views/tracked-rows.ts'
import { readSetChanged } from '../requests/authorisation.ts'
import type { InlineRows } from '../requests/log-service.ts'
import type { Observing } from '../observing/observing.ts'
import { CommitWatch, type Queued } from './commit-watch.ts'
import type { Recorder, Recording } from './recorder.ts'
import type { TurnTaking } from '../scheduling/turn-taking.ts'

interface Pending extends Queued {
  readonly command: Command
  readonly inlineRows: InlineRows
  resolve(events: readonly RecordedEvent[]): void
  reject(error: unknown): void
}

/** The result of a command. A refusal also waits for the commit: it may depend on earlier commands of the group. */
interface Decided {
  readonly pending: Pending
  readonly recordings: readonly Recording[]
  readonly refusal?: unknown
}

export interface CommitWriterOptions {
  readonly journal: Journal
  readonly hashing: Hashing
  readonly recorder: Recorder
  /** Notified before and after every commit. */
  readonly hot: HotRows
  readonly turns: TurnTaking
  /** Notified of every committed event. */
  readonly openParts: OpenParts
  /** The maximum number of commands in one batch. */
  readonly groupMax: number
  /**
   * Called after each commit, before its results: makes the tip durable outside the journal. An error fails the commit.
   */
  readonly writeWitness?: (end: Tip) => Promise<void>
  /** Set if no command may be committed: the error that every command gets. */
  readonly refusal?: StorageError
  /** Called after each commit, before its results, with the events that became part of the log. */
  readonly onCommitted: (events: readonly RecordedEvent[]) => void
  /** Measures each group. Absent: nothing is measured. */
  readonly observing?: Observing | undefined
}

export class CommitWriter {
  readonly #options: CommitWriterOptions
  /** Fair between requests: a request with a thousand commands does not delay one with a single command. */
  readonly #queue = new FairQueue<Pending>()
  #turn: Promise<void> | undefined
  #failure: StorageError | undefined
  #committed: Seq

  constructor(options: CommitWriterOptions) {
    this.#options = options
    this.#failure = options.refusal
    this.#committed = options.recorder.end.seq
  }

  /** The last position that is durable and visible. */
  get committed(): Seq {
    return this.#committed
  }

  get failure(): StorageError | undefined {
    return this.#failure
  }

  /**
   * Resolves with the events that the command caused, once they are durable.
   * @throws StorageError the rule's error; `StoreFailed` when the outcome is unknown or the writer stopped.
   */
  submit(command: Command, inlineRows: InlineRows = []): Promise<readonly RecordedEvent[]> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    const since = this.#options.observing?.now()
    return new Promise((resolve, reject) => {
      this.#queue.push(command.meta.requestId, { command, inlineRows, since, resolve, reject })
      this.#turn ??= this.#run()
    })
  }

  /** Stops taking commits because of a failure elsewhere. The first failure is kept. */
  fail(cause: unknown): StorageError {
    this.#failure ??= new StorageError(
      'StoreFailed',
      'A write failed and its outcome is unknown: the store takes no more writes until it is opened again.',
      { cause },
    )
    for (const pending of this.#queue.take()) pending.reject(this.#failure)
    return this.#failure
  }

  /** Runs `work` while no commit is in flight; commands wait until it ends. */
  async exclusively<R>(work: () => Promise<R>): Promise<R> {
    // Not `idle()`: another turn could begin after it resolves and before the next line.
    while (this.#turn !== undefined) await this.#turn
    const running = work()
    const turn = running.then(
      () => undefined,
      () => undefined,
    )
    this.#turn = turn
    try {
      return await running
    } finally {
      this.#turn = this.#queue.length > 0 ? this.#run() : undefined
    }
  }

  /** Resolves when every command submitted so far has its result. */
  async idle(): Promise<void> {
    while (this.#turn !== undefined) await this.#turn
  }

  async #run(): Promise<void> {
    // Wait one tick, so that commands submitted together form one group.
    await Promise.resolve()
    const turn = this.#options.turns.wait()
    if (turn !== undefined) await turn
    try {
      while (this.#queue.length > 0) await this.#commitGroup(this.#queue.take(this.#options.groupMax))
    } finally {
      this.#turn = undefined
    }
  }

  async #commitGroup(group: readonly Pending[]): Promise<void> {
    const { journal, hashing, openParts, turns, observing } = this.#options
    const watch = observing && new CommitWatch(observing, group, this.#queue.length)
    turns.spend(group.length)
    const rows = new RowTransaction(committedRows(journal, hashing), hashing, openParts)
    const decided: Decided[] = []
    try {
      for (const pending of group) decided.push(await this.#decide(rows, pending))
      await this.#commit(rows, decided, watch)
    } catch (error) {
      const failure = this.fail(error)
      for (const { reject } of group) reject(failure)
      watch?.failed(this.#committed, error)
      return
    }
    for (const { pending, recordings, refusal } of decided) {
      if (refusal === undefined) pending.resolve(recordings.map(({ event }) => event))
      else pending.reject(refusal)
    }
    watch?.answered(this.#committed, decided.filter(({ refusal }) => refusal !== undefined).length)
  }

  async #decide(rows: RowTransaction, pending: Pending): Promise<Decided> {
    const { recorder } = this.#options
    const { end } = recorder
    rows.savepoint()
    try {
      const recordings = await this.#record(rows, pending)
      return { pending, recordings }
    } catch (error) {
      // Only a failed read of the medium stops the store. Other errors refuse this command alone and undo its changes.
      if (rows.fault !== undefined) throw error
      rows.rollBack()
      recorder.rewind(end)
      return { pending, recordings: [], refusal: asRefusal(error) }
    }
  }

  /** Records the events of the command, and checks that they and their rows can be read back. */
  async #record(rows: RowTransaction, { command, inlineRows }: Pending): Promise<readonly Recording[]> {
    const { recorder, hashing } = this.#options
    assertInlineRows(inlineRows)
    const time = recorder.decisionTime()
    const { readSet } = command.meta
    if (readSet !== undefined && !(await isUnchanged(rows, readSet))) throw readSetChanged()
    const events = await decide(rows, command, hashing, time)
    const recordings = events.map((event) => recorder.record(event, command.meta, time.at))
    for (const { event } of recordings) await project(rows, event)
    rows.assertReadable()
    return recordings
  }

  async #commit(rows: RowTransaction, decided: readonly Decided[], watch: CommitWatch | undefined): Promise<void> {
    const { journal, recorder, hot, openParts, writeWitness, onCommitted } = this.#options
    const recordings = decided.flatMap((one) => one.recordings)
    if (recordings.length === 0) return
    rows.put(headKey, { ...recorder.end, views: viewsVersion })
    const inlineRows = decided.flatMap(({ pending, recordings: own }) => (own.length === 0 ? [] : pending.inlineRows))
    const changes = [...rows.changes(), ...inlineRows]
    watch?.writes(recordings, changes)
    const commit = hot.commitStarts(changes)
    await journal.commit({
      expectedHead: this.#committed,
      events: recordings.map(({ bytes }) => bytes),
      rows: changes,
    })
    hot.commitSettled(commit)
    this.#committed = recorder.end.seq
    if (writeWitness !== undefined) await writeWitness(recorder.end)
    for (const { event } of recordings) openParts.committed(event)
    onCommitted(recordings.map(({ event }) => event))
  }
}

/** An error without a code comes from a value that no rule expected. */
const asRefusal = (error: unknown): unknown =>
  isStorageError(error)
    ? error
    : new StorageError('InternalError', 'The command could not be carried out; nothing was changed.', { cause: error })

/** Inline rows go to the journal unchanged, so they must be valid journal rows. */
function assertInlineRows(inlineRows: InlineRows): void {
  for (const { key, value } of inlineRows) {
    if (key instanceof Uint8Array && (value === null || value instanceof Uint8Array)) continue
    throw new StorageError('InvalidArgument', 'Rows that come with a command are bytes under keys that are bytes.')
  }
}

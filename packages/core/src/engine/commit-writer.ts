/**
 * The single commit writer. It decides commands one after another against the newest state, and commits a group of them
 * in one batch. One batch is in flight at a time, so a group costs one sync, whatever its size.
 *
 * If another engine on the journal was first, nothing of the batch was written: the writer follows the log and decides
 * the group again.
 *
 * Callers get their results after the batch is durable. A failed batch has an unknown outcome, so the writer stops for
 * good: queued and later commands get `StoreFailed`, and only opening the store again settles the outcome.
 */
import type { Command } from '../commands/command.ts'
import { isStorageError, StorageError } from '../base/errors.ts'
import type { RecordedEvent } from '../events/index.ts'
import { FairQueue } from '../scheduling/fair-queue.ts'
import type { Seq } from '../ports/index.ts'
import { RowTransaction } from '../views/row-transaction.ts'
import { isOfUsage } from '../views/content-tables.ts'
import { headKey, viewsVersion } from '../views/tables.ts'
import type { SideRows } from '../requests/log-service.ts'
import { rowsOfRights } from './commit-rights.ts'
import type { CommitWriterOptions } from './commit-writer-options.ts'
import { CommitWatch, type Queued } from './commit-watch.ts'
import { type Decided, decideWrite, type Write } from './decide-write.ts'
import { joinedWrites } from './joined-writes.ts'
import type { KnownLog } from './known-log.ts'
import { type NewestState, newestState, SnapshotState } from './newest-state.ts'

interface Pending extends Write, Queued {
  resolve(events: readonly RecordedEvent[]): void
  reject(error: unknown): void
}

/** Commits a write elsewhere. */
export type Successor = (write: Write) => Promise<readonly RecordedEvent[]>

/** The approximate size of a usage row, in bytes. */
const usageBytes = 96

const unknownOutcome =
  'A write failed and its outcome is unknown: the store takes no more writes until it is opened again.'

const commandsOf = ({ commands }: Write): number => commands.length

/** How many conflicts in a row may have no cause that can be found. */
const unexplainedMax = 3

export class CommitWriter {
  readonly #options: CommitWriterOptions
  /** Fair between requests: a request with a thousand commands does not delay one with a single command. */
  readonly #queue = new FairQueue<Pending>()
  /** Work that runs while no commit is in flight: between two groups, and between two attempts of one. */
  readonly #between: (() => Promise<void>)[] = []
  #turn: Promise<void> | undefined
  #following: Promise<void> | undefined
  #failure: StorageError | undefined
  /** Set once an engine elsewhere goes on with the log. */
  #successor: Successor | undefined

  constructor(options: CommitWriterOptions) {
    this.#options = options
    this.#failure = options.refusal
  }

  /** The last position that is durable and visible. */
  get committed(): Seq {
    return this.#options.known.seq
  }

  /** The part of the log that this engine knows. */
  get known(): KnownLog {
    return this.#options.known
  }

  get failure(): StorageError | undefined {
    return this.#failure
  }

  /**
   * Resolves with the events that the command caused, once they are durable.
   * @throws StorageError the rule's error; `StoreFailed` when the outcome is unknown or the writer stopped.
   */
  submit(command: Command, sideRows: SideRows = []): Promise<readonly RecordedEvent[]> {
    return this.submitWrite({ commands: [{ command, sideRows }] })
  }

  /** As `submit`, for all commands of a write. @throws StorageError `TransactionConflict` */
  submitWrite(write: Write): Promise<readonly RecordedEvent[]> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    if (this.#successor !== undefined) return this.#successor(write)
    const since = this.#options.observing?.now()
    return new Promise((resolve, reject) => {
      this.#queue.push(write.commands[0]?.command.meta.requestId ?? '', { since, resolve, reject, ...write })
      this.#turn ??= this.#run()
    })
  }

  /** Stops taking commits because of a failure elsewhere. The first failure is kept. */
  fail(cause: unknown, message: string = unknownOutcome): StorageError {
    this.#failure ??= new StorageError('StoreFailed', message, { cause })
    for (const pending of this.#queue.take()) pending.reject(this.#failure)
    return this.#failure
  }

  /** From now on `successor` gets every write, also those that wait. Call it while no commit is in flight. */
  handOver(successor: Successor): void {
    this.#successor = successor
    for (const { resolve, reject, ...write } of this.#queue.take()) successor(write).then(resolve, reject)
  }

  /** Runs `work` while no commit is in flight: after the present attempt, however many commands wait. */
  exclusively<R>(work: () => Promise<R>): Promise<R> {
    return new Promise((resolve, reject) => {
      this.#between.push(() => work().then(resolve, reject))
      this.#turn ??= this.#run()
    })
  }

  /** Follows the log up to a position that another engine may have committed. @throws StorageError `StoreFailed` */
  async follow(to: Seq): Promise<void> {
    while (this.committed < to) {
      if (this.#failure !== undefined) throw this.#failure
      this.#following ??= this.exclusively(() => this.#follow(to)).finally(() => {
        this.#following = undefined
      })
      await this.#following
    }
  }

  /**
   * Views end at `seen`, before the position that this engine knows: checks that the log is still there.
   * @throws StorageError `StoreFailed` if acknowledged events are lost
   */
  assertKept(seen: Seq): Promise<void> {
    return this.exclusively(() => this.#follow(seen))
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
      while (this.#between.length > 0 || this.#queue.length > 0) {
        await this.#workBetween()
        if (this.#queue.length > 0) await this.#commitGroup(this.#queue.take(this.#options.groupMax, commandsOf))
      }
    } finally {
      this.#turn = undefined
    }
  }

  async #workBetween(): Promise<void> {
    for (const work of this.#between.splice(0)) await work()
  }

  async #commitGroup(group: readonly Pending[]): Promise<void> {
    const { turns, observing } = this.#options
    const watch = observing && new CommitWatch(observing, group, this.#queue.length)
    for (const pending of group) turns.spend(commandsOf(pending))
    let decided: readonly Decided<Pending>[]
    try {
      decided = await this.#untilFirst(group, watch)
    } catch (error) {
      // While another engine computes the views, nothing is decided and nothing is written.
      const refusal = isStorageError(error, 'LeaseHeld', 'LeaseLost') ? error : this.fail(error)
      for (const { reject } of group) reject(refusal)
      watch?.failed(this.committed, error)
      return
    }
    for (const { pending, recordings, refusal } of decided) {
      if (refusal === undefined) pending.resolve(recordings.map(({ event }) => event))
      else pending.reject(refusal)
    }
    watch?.answered(this.committed, decided.filter(({ refusal }) => refusal !== undefined).length)
  }

  /** Decides the group and commits it, until no other engine is first. */
  async #untilFirst(group: readonly Pending[], watch: CommitWatch | undefined): Promise<readonly Decided<Pending>[]> {
    for (let unexplained = 0; ; ) {
      const decided = await this.#attempt(group, watch)
      if (decided !== undefined) return decided
      unexplained = (await this.#findCause()) ? 0 : unexplained + 1
      if (unexplained > unexplainedMax) throw new Error('The journal refuses a commit that expects what it has.')
      await this.#workBetween()
    }
  }

  /** Decides and commits the group; `undefined` if another engine was first, and nothing was written. */
  async #attempt(
    group: readonly Pending[],
    watch: CommitWatch | undefined,
  ): Promise<readonly Decided<Pending>[] | undefined> {
    const { hashing, known, openParts, recorder, sharing } = this.#options
    const state = sharing.isShared
      ? await this.#newest()
      : newestState(this.#options.journal, hashing, this.#options.hot)
    const { end } = recorder
    try {
      const rows = new RowTransaction(state.rows, hashing, openParts)
      const decided: Decided<Pending>[] = []
      const options = { hashing, recorder, sharing, recent: known.recent }
      for (const pending of group) {
        const deciding = decideWrite(options, rows, pending)
        decided.push(deciding instanceof Promise ? await deciding : deciding)
      }
      return (await this.#commit(rows, decided, { state, watch })) ? decided : undefined
    } finally {
      // A conflict leaves the recorder after events that do not exist.
      if (this.committed === end.seq) recorder.rewind(end)
      await state.close?.()
    }
  }

  /** The newest state of a shared journal, once this writer has followed the log up to it. */
  async #newest(): Promise<NewestState> {
    const { journal, hashing, recorder, sharing, completeViews } = this.#options
    for (;;) {
      await sharing.protect()
      const state = await SnapshotState.take(journal, hashing)
      const { seq, isComplete } = state
      const known = this.committed
      if (isComplete && seq === known) return state.assertAfter(recorder.end)
      await state.close()
      if (isComplete) await this.#follow(seq)
      if (!isComplete || seq < known) await completeViews()
    }
  }

  async #follow(seen: Seq): Promise<void> {
    try {
      await this.#options.known.follow(seen)
    } catch (error) {
      throw this.fail(error)
    }
  }

  /** Finds what another engine changed, and adapts to it. Resolves with false if nothing was changed. */
  async #findCause(): Promise<boolean> {
    const { sharing, turns } = this.#options
    await turns.pass()
    const before = this.committed
    await this.#follow(before)
    return (await sharing.checkRights()) || this.committed > before
  }

  /** Resolves with false if another engine was first. */
  async #commit(
    rows: RowTransaction,
    decided: readonly Decided<Pending>[],
    { state, watch }: { readonly state: NewestState; readonly watch: CommitWatch | undefined },
  ): Promise<boolean> {
    const { journal, recorder, hot, known, sharing, writeWitness } = this.#options
    const { recordings, jobs, sideRows } = joinedWrites(decided)
    if (recordings.length === 0) return true
    rows.put(headKey, { views: viewsVersion, ...recorder.end })
    const changes = rows.changes()
    for (const row of sideRows) changes.push(row)
    watch?.writes(recordings, changes)
    const expectedRows = rowsOfRights(sharing, jobs, state)
    const commit = hot.commitStarts(changes)
    const dropping = hot.holders.drop(changes)
    if (dropping !== undefined) await dropping
    try {
      await journal.commit({
        expectedHead: known.seq,
        ...(expectedRows.length > 0 && { expectedRows }),
        events: recordings.map(({ bytes }) => bytes),
        rows: changes,
      })
    } catch (error) {
      if (isStorageError(error, 'JournalConflict')) return false
      throw error
    }
    hot.commitSettled(commit)
    // Each commit changes and needs these rows. Reading them again would cost more than they save.
    rows.eachPut((key, row) => {
      if (isOfUsage(key)) hot.keep(key, row, usageBytes, commit)
    })
    known.extend(recorder.end, () => rows.changedNames())
    if (writeWitness !== undefined) await writeWitness(recorder.end)
    known.publish(recordings.map(({ event }) => event))
    return true
  }
}

/**
 * The single commit writer. It decides commands one after another against the newest state, and commits a group of them
 * in one batch. One batch is in flight at a time, so a group costs one sync, whatever its size.
 *
 * If another engine on the journal was first, nothing of the batch was written: the writer follows the log and decides
 * the group again.
 *
 * Callers get their results after the batch is durable. A failed batch has an unknown outcome. If the journal recovers, the writer
 * finds it out (`doubtful-commits.ts`). Otherwise it stops for good: queued and later commands get `StoreFailed`, and only
 * opening the store again settles the outcome.
 */
import type { Command } from '../commands/command.ts'
import { isStorageError, StorageError } from '../base/errors.ts'
import type { RecordedEvent } from '../events/index.ts'
import { FairQueue } from '../scheduling/fair-queue.ts'
import type { HeldHead, Seq } from '../ports/index.ts'
import { RowTransaction } from '../views/row-transaction.ts'
import { headKey } from '../views/tables.ts'
import type { SideRows } from '../requests/log-service.ts'
import { rowsOfRights } from './commit-rights.ts'
import type { CommitWriterOptions } from './commit-writer-options.ts'
import { CommitWatch } from './commit-watch.ts'
import { type Attempt as AttemptWith, type Conflict, conflictOf, unexplainedMax } from './attempt.ts'
import { isPassing, unknownOutcome } from './commit-failures.ts'
import { type Decided, decideWrites, type Write } from './decide-write.ts'
import { DoubtfulCommits } from './doubtful-commits.ts'
import { headRowAt } from './head-state.ts'
import { HeadTurns } from './head-turns.ts'
import { joinedWrites } from './joined-writes.ts'
import { keepUsage } from './keep-usage.ts'
import type { KnownLog } from './known-log.ts'
import { LogFollower } from './log-follower.ts'
import { NewestRows } from './newest-rows.ts'
import { type NewestState, newestSnapshot, newestState } from './newest-state.ts'
import { StateMoved } from './shared-reader.ts'
import { answer, commandsOf, passOn, type Pending, type Successor } from './pending.ts'
import { SharedStates } from './shared-states.ts'

type Doubts = DoubtfulCommits<readonly Decided<Pending>[]>
type Attempt = AttemptWith<Doubts>

export class CommitWriter {
  readonly #options: CommitWriterOptions
  /** Fair between requests: a request with a thousand commands does not delay one with a single command. */
  readonly #queue = new FairQueue<Pending>()
  /** Work that runs while no commit is in flight: between two groups, and on a shared log, which is never handed over, between two attempts. */
  readonly #between: (() => Promise<void>)[] = []
  /** Rows of a shared journal. */
  readonly newest: NewestRows
  readonly #states: SharedStates
  readonly #turns: HeadTurns
  #turn: Promise<void> | undefined
  readonly #follower: LogFollower
  #failure: StorageError | undefined
  #successor: Successor | undefined

  constructor(options: CommitWriterOptions) {
    this.#options = options
    this.#failure = options.refusal
    this.newest = new NewestRows(options.journal)
    this.#states = new SharedStates({ newest: this.newest, ...options })
    this.#turns = new HeadTurns(options.journal)
    this.#follower = new LogFollower(options, this)
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
    const refusal = this.#failure ?? this.#options.confirmation?.refusal
    if (refusal !== undefined) return Promise.reject(refusal)
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
    passOn(this.#queue.take(), successor)
  }

  /** Runs `work` while no commit is in flight: after the present attempt, however many commands wait. */
  exclusively<R>(work: () => Promise<R>): Promise<R> {
    return new Promise((resolve, reject) => {
      this.#between.push(() => work().then(resolve, reject))
      this.#turn ??= this.#run()
    })
  }

  /** Follows the log up to a position that another engine may have committed. @throws as `LogFollower.to` does */
  follow(to: Seq): Promise<void> {
    return this.#follower.to(to)
  }

  /** Checks that the log is still there, if views end at `seen`, before its known end. @throws StorageError `StoreFailed` if it is not */
  assertKept(seen: Seq): Promise<void> {
    return this.exclusively(() => this.#follower.now(seen))
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
        if (this.#queue.length > 0) await this.#commitInTurn()
      }
    } finally {
      this.#turn = undefined
    }
  }

  async #workBetween(): Promise<void> {
    for (const work of this.#between.splice(0)) await work()
  }

  /** Commands that are submitted while a turn is awaited belong to it. */
  async #commitInTurn(): Promise<void> {
    const taking = this.#turns.take()
    const held = taking && (await taking)
    const group = this.#queue.take(this.#options.groupMax, commandsOf)
    await (group.length === 0 ? held?.release() : this.#commitGroup(group, held))
  }

  async #commitGroup(group: readonly Pending[], held: HeldHead | undefined): Promise<void> {
    const { journal, turns, observing } = this.#options
    const watch = observing && new CommitWatch(observing, group, this.#queue.length)
    for (const pending of group) turns.spend(commandsOf(pending))
    let decided: readonly Decided<Pending>[]
    try {
      decided = await this.#untilFirst(group, watch, held)
    } catch (error) {
      const refusal = isPassing(error, journal) && this.#failure === undefined ? error : this.fail(error)
      for (const { reject } of group) reject(refusal)
      watch?.failed(this.committed, error)
      return
    }
    answer(decided, this.#options.confirmation?.confirmed(this.committed))
    watch?.answered(this.committed, decided.filter(({ refusal }) => refusal !== undefined).length)
  }

  /** Decides the group and commits it, until no other engine is first. */
  async #untilFirst(
    group: readonly Pending[],
    watch: CommitWatch | undefined,
    first: HeldHead | undefined,
  ): Promise<readonly Decided<Pending>[]> {
    const doubts: Doubts = new DoubtfulCommits({ follow: () => this.#follower.now(), ...this.#options })
    for (let [unexplained, held] = [0, first]; ; held = await this.#turns.take()) {
      try {
        if (held !== undefined) await this.#followIn(held)
        const attempt = { watch, doubts, held, isUnexplained: unexplained > 0 }
        const decided = (await doubts.settled()) ?? (await this.#attempt(group, attempt))
        if (decided instanceof Array) return decided
        watch?.conflict()
        unexplained = (await this.#findCause(decided)) ? 0 : unexplained + 1
        if (unexplained > unexplainedMax) throw new Error('The journal refuses a commit that expects what it has.')
      } catch (error) {
        await this.#afterFailure(error, doubts)
      } finally {
        await held?.release()
      }
      if (this.#options.sharing.isShared) await this.#workBetween()
    }
  }

  async #followIn({ seq }: HeldHead): Promise<void> {
    if (seq <= this.committed) return
    this.#turns.contended()
    await this.#follower.now(seq)
  }

  /** Resolves when the group can be tried again. @throws StorageError */
  async #afterFailure(error: unknown, doubts: Doubts): Promise<void> {
    this.#states.refused()
    try {
      await this.#options.turns.pause(doubts.pauseAfter(error))
    } catch {
      throw doubts.isEmpty ? error : (this.fail(error), error)
    }
  }

  /** Decides and commits the group; a conflict if another engine was first, and nothing was written. */
  async #attempt(
    group: readonly Pending[],
    { watch, doubts, held, isUnexplained }: Attempt,
  ): Promise<readonly Decided<Pending>[] | Conflict> {
    const { hashing, known, openParts, recorder, sharing } = this.#options
    const state = sharing.isShared
      ? await this.#sharedState(group, isUnexplained)
      : newestState(this.#options.journal, hashing, this.#options.hot)
    const { end } = recorder
    const rows = new RowTransaction(state.rows, hashing, openParts)
    try {
      if (doubts.isOvertaken) return {}
      const decided = await decideWrites({ hashing, recorder, sharing, recent: known.recent }, rows, group)
      return (await this.#commit(rows, decided, { state, watch, doubts, held })) ?? decided
    } catch (error) {
      if (!(error instanceof StateMoved || rows.fault instanceof StateMoved)) throw error
      return { seen: this.#states.seen }
    } finally {
      // A conflict leaves the recorder after events that do not exist.
      if (this.committed === end.seq) recorder.rewind(end)
      await state.close?.()
    }
  }

  /** A log without events has no head row, and what refuses a commit without a cause may be in no row at all. */
  #sharedState(group: readonly Pending[], isUnexplained: boolean): Promise<NewestState> {
    if (this.committed === 0 || isUnexplained) return newestSnapshot(this.#options, (seen) => this.#follower.now(seen))
    return this.#states.take(group.flatMap(({ commands }) => commands.map(({ command }) => command)))
  }

  /** Finds what another engine changed, and adapts to it. Resolves with false if nothing was changed. */
  async #findCause({ seen = 0, lostTurn = false }: Conflict): Promise<boolean> {
    const { sharing, turns } = this.#options
    this.#states.refused()
    if (lostTurn) this.#turns.lost()
    else this.#turns.contended()
    await turns.pass()
    const before = this.committed
    await this.#follower.now(Math.max(seen, before))
    return (await sharing.checkRights()) || lostTurn || this.committed > before
  }

  async #commit(
    rows: RowTransaction,
    decided: readonly Decided<Pending>[],
    { state, watch, doubts, held }: Omit<Attempt, 'isUnexplained'> & { readonly state: NewestState },
  ): Promise<Conflict | undefined> {
    const { journal, recorder, hot, known, sharing, writeWitness } = this.#options
    const { recordings, jobs, sideRows } = joinedWrites(decided)
    await state.confirm?.(recordings.length > 0)
    if (recordings.length === 0) return (await doubts.fence()) ? undefined : {}
    rows.put(headKey, headRowAt(recorder.end))
    const changes = rows.changes()
    for (const row of sideRows) changes.push(row)
    watch?.writes(recordings, changes)
    const expectedRows = rowsOfRights(sharing, jobs, state)
    const commit = hot.commitStarts(changes)
    const dropping = hot.holders.drop(changes)
    if (dropping !== undefined) await dropping
    try {
      await (held ?? journal).commit({
        expectedHead: known.seq,
        ...(expectedRows.length > 0 && { expectedRows }),
        events: recordings.map(({ bytes }) => bytes),
        rows: changes,
      })
    } catch (error) {
      if (!isStorageError(error, 'JournalConflict')) doubts.add(recorder.end, decided)
      return conflictOf(error)
    }
    hot.commitSettled(commit)
    this.#states.committed(recorder.end, changes)
    keepUsage(rows, hot, commit)
    known.committed({ recordings, sideRows, end: recorder.end }, () => rows.changedNames())
    if (writeWitness !== undefined) await writeWitness(recorder.end)
    known.publish(recordings.map(({ event }) => event))
    return undefined
  }
}

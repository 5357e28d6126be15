/**
 * The owner of the log: the ports, the commit writer, the reads in progress, and the blobs that no commit names yet.
 */
import type { Soon } from '../base/soon.ts'
import type { Command } from '../commands/command.ts'
import type { ActiveReads } from '../content/active-reads.ts'
import { StorageError } from '../base/errors.ts'
import type { RecordedEvent } from '../events/index.ts'
import type { LogPorts } from '../events/log.ts'
import type { BlobId, RowReader, Seq, Tip } from '../ports/index.ts'
import type { Marks, Sharing } from '../sharing/sharing.ts'
import type { ClockStatus, StoreClock } from '../time/store-clock.ts'
import type { Heal } from '../content/damaged-bytes.ts'
import type { Healer } from '../healing/healer.ts'
import { storeHealer } from '../healing/store-healer.ts'
import { HotRows } from '../views/hot-rows.ts'
import { OpenParts } from '../views/open-parts.ts'
import { usageTable } from '../views/content-tables.ts'
import type { UsageRow } from '../views/usage-rows.ts'
import { allBuckets } from '../views/usage.ts'
import { closeInOrder } from './close-in-order.ts'
import { type CommitListener, CommitListeners } from './commit-listeners.ts'
import { CommitWriter } from './commit-writer.ts'
import type { CommitWriterOptions } from './commit-writer-options.ts'
import { CommitsBeside } from './commits-beside.ts'
import { FollowedLog, FollowedState } from './followed-log.ts'
import type { Receipts } from '../requests/receipts.ts'
import { IdentityFollowers } from '../requests/identity-followers.ts'
import { Operators } from '../requests/operators.ts'
import { RequestEngine } from '../requests/request-engine.ts'
import type { EngineStatus, LogService, OwnedChanges, OwnedLog, SideRows, StoreState } from '../requests/log-service.ts'
import type { EngineOptions, EngineParts } from './engine-options.ts'
import { KnownLog } from './known-log.ts'
import type { Moment } from '../moments/moment.ts'
import { resolveMoment } from '../moments/resolve-moment.ts'
import { findSnapshot } from '../reads/find-snapshot.ts'
import { Recorder } from './recorder.ts'
import { followsAnother, readOnly } from './read-only.ts'
import type { StorePorts } from './store-ports.ts'
import { logInTurns } from '../scheduling/log-in-turns.ts'
import { TurnTaking } from '../scheduling/turn-taking.ts'
import { unnamedBlobs } from './unnamed-blobs.ts'
import { ViewsReader } from './views-reader.ts'
import { WitnessKeeper } from './witness-keeper.ts'

export class Engine implements OwnedLog {
  readonly ports: StorePorts
  readonly options: EngineOptions
  readonly clock: StoreClock
  readonly writer: CommitWriter
  /** Present if the engine was opened to follow another store. */
  readonly followed: FollowedLog | undefined
  readonly reads: ActiveReads
  readonly sharing: Sharing
  /** Blobs that were written and are not yet part of the log. */
  readonly inFlight: Marks
  /** Answers the requests of this process. */
  readonly requests: RequestEngine
  readonly turns: TurnTaking
  /** Whoever reads much of this log does not delay the others. */
  readonly pacedLog: LogPorts & { readonly journal: LogService['log'] }
  /** Absent if there are no copies to heal from. */
  readonly healer: Healer | undefined
  readonly heal: Heal | undefined
  readonly #hot: HotRows
  readonly #views: ViewsReader
  readonly #recorder: Recorder
  readonly #witness: WitnessKeeper
  /** Erases kept bytes before a write is refused for want of room. Set by an opening that may erase. */
  makeRoom: (() => Promise<void>) | undefined
  /** Makes receipts of writes. Set by the opening. */
  receipts: Receipts | undefined
  /** Commits of rows outside the log. */
  readonly beside = new CommitsBeside()
  readonly #listeners = new CommitListeners()
  readonly identityFollowers: IdentityFollowers
  readonly operators = new Operators()
  /** Positions of past times. */
  readonly #times = new Map<number, Seq>()
  #closing: Promise<void> | undefined

  constructor(ports: StorePorts, options: EngineOptions, { end, clock, sharing, reads }: EngineParts) {
    this.ports = ports
    this.sharing = sharing
    this.inFlight = sharing.marks
    this.reads = reads
    this.options = options
    this.clock = clock
    this.turns = new TurnTaking(ports.timer)
    this.pacedLog = { ...ports, journal: logInTurns(ports.journal, this.turns) }
    const { observing, staleMs } = options
    this.identityFollowers = new IdentityFollowers(this.#listeners, { ...ports, staleMs, fresh: () => this.fresh() })
    this.#hot = new HotRows(options.hotBytes, observing?.tally('rows'))
    this.healer = options.readOnly === true ? undefined : storeHealer(ports, this, observing)
    this.heal = this.healer?.healSoon
    const { secret = sharing.secret } = ports
    this.requests = new RequestEngine(this, { ...ports, ...(secret && { secret }) }, options)
    this.#witness = new WitnessKeeper(ports)
    this.#recorder = new Recorder(clock, ports.hashing, end)
    const openParts = new OpenParts(options.hotBytes, observing?.tally('parts'))
    const state = options.isFollowing === true ? new FollowedState(ports.confirmation) : undefined
    const writing: CommitWriterOptions = {
      journal: ports.journal,
      hashing: ports.hashing,
      recorder: this.#recorder,
      hot: this.#hot,
      turns: this.turns,
      sharing,
      completeViews: () => this.#views.complete(),
      openParts,
      observing,
      known: new KnownLog({
        log: ports,
        recorder: this.#recorder,
        hot: this.#hot,
        openParts,
        onCommitted: (events) => this.#publish(events),
      }),
      groupMax: options.groupMax,
      confirmation: state ?? ports.confirmation,
      ...(options.readOnly === true && { refusal: readOnly() }),
      ...(options.witness === 'synced' && { writeWitness: (tip: Tip) => this.#witness.write(tip) }),
    }
    this.writer = new CommitWriter(writing)
    const { writer, turns } = this
    this.followed = state && new FollowedLog({ writing, writer, state, reads, ports })
    const tip = () => this.#recorder.end
    this.#views = new ViewsReader({ ports, sharing, writer, hot: this.#hot, turns, tip, staleMs })
  }

  get closed(): boolean {
    return this.#closing !== undefined
  }

  get state(): StoreState {
    if (this.closed) return 'closed'
    return this.writer.failure === undefined || this.options.readOnly === true ? 'open' : 'failed'
  }

  /** What was removed and is not erased, in bytes, if it is in memory. */
  get keptBytes(): number | undefined {
    return (this.#hot.find(usageTable.key(allBuckets).bytes, this.#hot.settled) as UsageRow | undefined)?.kept
  }

  /** Nothing more is written by this engine itself. */
  get isHalted(): boolean {
    return this.closed || this.writer.failure !== undefined || this.followed?.isFollowing === true
  }

  get refusal(): StorageError | undefined {
    return this.failure ?? this.followed?.refusal
  }

  get failure(): StorageError | undefined {
    return this.writer.failure
  }

  get log(): LogService['log'] {
    return this.pacedLog.journal
  }

  /** Absent on a shared journal: commits of other engines are not known before they are read. */
  get changes(): OwnedChanges | undefined {
    return this.sharing.isShared ? undefined : this.#hot
  }

  get clockStatus(): ClockStatus {
    return this.clock.status(this.#recorder.end.at)
  }

  /** @throws StorageError `ReadOnly` */
  assertWritable(): void {
    if (this.options.readOnly === true) throw readOnly()
    if (this.followed?.isFollowing === true) throw followsAnother()
  }

  assertOpen(): void {
    if (this.closed) throw new StorageError('StoreClosed', 'The store is closed.')
    this.#views.assertWhole()
  }

  /** The reads of the newest state, and the rebuilding of its rows. */
  get views(): ViewsReader {
    return this.#views
  }

  withSnapshot<R>(ask: (rows: RowReader) => Soon<R>): Soon<R> {
    return this.#views.withSnapshot(ask)
  }

  withRecent<R>(ask: (rows: RowReader) => Soon<R>): Soon<R> {
    return this.#views.withRecent(ask)
  }

  /** Learns what other engines have committed, so that reads that may show an older state need not ask for it. */
  look(): Promise<void> {
    return this.options.staleMs > 0 ? this.#views.refresh() : this.#freshen()
  }

  /** Resolves when this engine has followed the log up to its current end; `undefined` if it always has. */
  fresh(): Promise<void> | undefined {
    return this.sharing.isShared ? this.#freshen() : undefined
  }

  async #freshen(): Promise<void> {
    await this.writer.follow(await this.ports.journal.head())
  }

  submit(command: Command, sideRows?: SideRows): Promise<readonly RecordedEvent[]> {
    return this.writer.submit(command, sideRows)
  }

  fail(cause: unknown): StorageError {
    return this.writer.fail(cause)
  }

  beginRead(at: Seq = this.writer.committed): () => void {
    return this.reads.begin(at)
  }

  positionOf(moment: Moment): Promise<Seq> {
    return this.fresh()?.then(() => this.#positionOf(moment)) ?? this.#positionOf(moment)
  }

  #positionOf(moment: Moment): Promise<Seq> {
    const log = {
      ports: this.pacedLog,
      end: this.writer.committed,
      isPastOrPresent: (at: number) => this.clock.isPastOrPresent(at),
      snapshotAt: (name: string) => this.withSnapshot((reader) => findSnapshot(reader, this.ports.hashing, name)),
      known: this.#times,
    }
    return resolveMoment(log, moment)
  }

  erased(at: Seq): Promise<void> | undefined {
    return this.reads.erased(at)?.then(() => this.sharing.protect(at)) ?? this.sharing.protect(at)
  }

  assertRoom(): Soon<void> {
    return this.requests.assertRoom()
  }

  async status(): Promise<EngineStatus> {
    const sharing = await this.sharing.status?.()
    return { witnessLagMs: this.#witness.lagMs, ...(sharing && { sharing }) }
  }

  async releaseMarks(ids: readonly BlobId[]): Promise<void> {
    await this.writer.idle()
    // A commit with an unknown outcome may name these blobs; opening the store again settles it.
    if (this.state !== 'open') return
    const { hashing, blobs } = this.ports
    const unnamed = await this.withSnapshot((reader) => unnamedBlobs(reader, hashing, ids))
    const release = (): void => ids.forEach((id) => this.inFlight.delete(id))
    await blobs.delete(unnamed).finally(release)
  }

  /**
   * Calls back for every commit, in order; with an empty list when the store closes. Returns a function that ends it.
   */
  onCommitted(listener: CommitListener): () => void {
    return this.#listeners.add(listener)
  }

  /**
   * Ends bodies, waits for running commands, writes the witness and then closes the ports. `lastWork` resolves when the
   * store's jobs commit nothing more.
   */
  close(lastWork: () => Promise<void>, closePorts: () => Promise<void>): Promise<void> {
    const closing = () => closeInOrder(() => this.#close(lastWork), closePorts)
    return (this.#closing ??= closing().finally(() => this.options.observing?.end()))
  }

  async #close(lastWork: () => Promise<void>): Promise<void> {
    try {
      const closed = new StorageError('StoreClosed', 'The store is closed.')
      await Promise.all([lastWork(), this.healer?.end(), this.requests.end(closed), this.#hot.holders.dropAll()])
      await this.writer.idle()
      await this.#witness.stop()
      await this.clock.close()
      if (this.writer.failure === undefined) await this.#witness.writeLast(this.#recorder.end, this.sharing)
    } finally {
      // An engine that cannot leave counts as gone after a while.
      await this.sharing.leave().catch(() => undefined)
      this.#publish([])
    }
  }

  #publish(events: readonly RecordedEvent[]): void {
    if (events.length > 0) {
      this.#witness.note(this.#recorder.end)
      this.clock.observe(this.#recorder.end.seq)
    }
    for (const { type, data } of events)
      if (type === 'ContentsErased') this.requests.manifests.forgetErased(data.erased)
    this.#listeners.notify(events)
  }
}

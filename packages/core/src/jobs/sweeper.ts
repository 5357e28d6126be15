/**
 * Erases bytes that are no longer needed: contents of removed versions after the retention, or before it if they take
 * more room than they may. What a snapshot keeps is set aside when it is due, and returned when the snapshot is gone.
 *
 * Erasure has three steps, and this order makes it safe. `ErasureStarted`: from then on no command can use the bytes
 * again. Then the bytes. Then `ContentsErased`, so a crash in between leaves garbage that is erased again. Nothing is erased
 * while a read that began before the removal is in progress, while a task or a subscription needs it, while a replica may lack
 * it (unless somebody had it erased), while its write is in flight, or while the outcome of a commit is unknown.
 */
import type { Soon } from '../base/soon.ts'
import type { CommandMeta } from '../commands/command.ts'
import type { Engine } from '../engine/engine.ts'
import type { RowChange, RowReader, Seq } from '../ports/index.ts'
import { Retentions } from '../retention/retentions.ts'
import { committedRows } from '../views/row-reader.ts'
import { unseenQueue } from '../views/garbage.ts'
import { loadPins } from '../views/pins.ts'
import { keptByTasks, loadTasks } from '../views/tasks.ts'
import { garbageTable } from '../views/content-tables.ts'
import { inlineTable } from '../views/tables.ts'
import { releasableForks } from '../views/fork-pins.ts'
import { keptBySubscriptions } from '../following/kept-by-subscriptions.ts'
import { ErasureBatch, startedErasures } from './erasure-batch.ts'
import type { Jobs } from './jobs.ts'
import { Excess, noShortage, type Shortage } from './excess.ts'
import { HoldForReplicas } from './hold-for-replicas.ts'
import type { Pin } from '../views/rows.ts'
import { purgeBytes } from './purge-bytes.ts'
import { changesDue, namesAll, requestsErasure, returnsGarbage, settlesPin } from './sweep-events.ts'
import { UnpinnedGarbage, type UnpinnedStep } from './unpinned-garbage.ts'
import { WaitingQueues } from './waiting-queues.ts'

/** What a sweep erased. */
export interface SweepResult {
  /** Contents of removed versions and unused parts that were erased. */
  readonly erased: number
  /** Blobs that were removed because no event names them. */
  readonly orphans: number
}

export class Sweeper {
  readonly #engine: Engine
  readonly #jobs: Jobs
  readonly #queues = new WaitingQueues()
  readonly #excess: Excess
  readonly #unpinned = new UnpinnedGarbage()
  readonly #replicas: HoldForReplicas
  #running: Promise<number> | undefined
  #again = false
  /** As the last sweep found them. */
  #retentions: Retentions | undefined
  /** An erasure may have been started and not ended: after an opening, and after an error. */
  #isUnfinished = true
  /** The end of the log when the last round began, if older reads of this engine were in progress. */
  #boundAt: Seq | undefined
  /** The same, if the round left something for these reads. */
  #heldByReads: Seq | undefined
  /** Only ends erasures that have started, for an opening that does not know what is due. */
  readonly #onlyStarted: boolean

  constructor(engine: Engine, jobs: Jobs, { onlyStarted = false }: { readonly onlyStarted?: boolean } = {}) {
    this.#engine = engine
    this.#onlyStarted = onlyStarted
    this.#jobs = jobs
    this.#excess = new Excess(engine)
    this.#replicas = new HoldForReplicas(engine, jobs.pins)
    engine.onCommitted((events) => {
      if (events.some(returnsGarbage)) this.#forgetPlaces()
      if (events.some(changesDue)) this.#replicas.forget()
      if (events.some(settlesPin)) this.#unpinned.forget()
      if (events.some(requestsErasure)) this.#isUnfinished = true
    })
  }

  /** False if nothing that is freed now can be due: then a sweep from time to time finds what is due. */
  get isEager(): boolean {
    return this.#retentions?.erasesAtOnce !== false || this.#excess.isOver
  }

  /** True if an erasure may have been started and not ended: a read may need the bytes, of this engine or of another one. */
  get isUnfinished(): boolean {
    return this.#isUnfinished
  }

  /** Erases what is due. Calls during a sweep share its next round. */
  async eraseGarbage(): Promise<number> {
    if (this.#running !== undefined) {
      this.#again = true
      return this.#running
    }
    if (this.#engine.isHalted) return 0
    const running = this.#jobs.run('erasure', () => this.#rounds())
    this.#running = running
    try {
      return await running
    } finally {
      // If another engine sweeps, the rounds never began.
      if (this.#running === running) this.#running = undefined
    }
  }

  /** Ends erasures that a command has started, as far as no read needs the bytes. */
  async finishErasures(): Promise<void> {
    this.#isUnfinished = true
    await this.eraseGarbage()
  }

  /** Removes bytes that are erased already from the files of the store. False if reads in progress keep some of them there. */
  async purgeErased({ blobs, sideRows }: Pick<ErasureBatch, 'blobs' | 'sideRows'>): Promise<boolean> {
    const { ports, requests } = this.#engine
    return purgeBytes(ports, blobs, sideRows).catch((error: unknown) => {
      throw requests.stopOnMediumFailure(error)
    })
  }

  /** Resolves when no sweep is in progress. */
  async idle(): Promise<void> {
    await this.#running?.catch(() => undefined)
  }

  async #rounds(): Promise<number> {
    let erased = 0
    try {
      for (;;) {
        this.#again = false
        const count = this.#engine.isHalted ? 0 : await this.#round()
        erased += count
        if (count === 0 && !this.#again) return erased
      }
    } catch (error) {
      this.#isUnfinished = true
      this.#forgetPlaces()
      this.#unpinned.forget()
      throw error
    } finally {
      // No `await` since the last check of `#again`: a call in between would share a sweep that has ended.
      this.#running = undefined
      this.#sweepAfterReads()
    }
  }

  #round(): Promise<number> {
    const { reads, writer, sharing } = this.#engine
    const upTo = Math.min(reads.oldest, writer.committed)
    this.#heldByReads = undefined
    this.#boundAt = upTo < writer.committed ? writer.committed : undefined
    return reads.erase(upTo, () => sharing.erasing(upTo, (horizon) => this.#erase(horizon)))
  }

  /** A read that ends commits nothing that would start a sweep. */
  #sweepAfterReads(): void {
    const sweep = (): void => void this.eraseGarbage().catch(() => undefined)
    if (this.#heldByReads !== undefined) this.#engine.reads.whenBegunSince(this.#heldByReads, sweep)
  }

  async #erase(horizon: Seq): Promise<number> {
    const finished = await this.#finishStarted(horizon)
    return finished > 0 || this.#onlyStarted ? finished : this.#eraseNext(horizon)
  }

  /** A fork that is gone keeps its base's bytes until no read that may have seen it is left. */
  async #releaseFork(fork: Seq): Promise<void> {
    await this.#engine.writer.submit({ type: 'ReleaseFork', data: { fork }, meta: this.#meta })
    this.#again = true
  }

  /** Returns garbage of a deleted snapshot to its queue, one step at a time. */
  async #release({ unpinned, contents, isLast }: UnpinnedStep): Promise<void> {
    const data = { contents, ...(isLast && { settled: unpinned }) }
    if (contents.length > 0 || isLast) {
      await this.#engine.writer.submit({ type: 'ReleaseGarbage', data, meta: this.#meta })
    }
    this.#again = true
  }

  /** Ends erasures that a crash, an error or another engine left, and those of contents with many parts. */
  async #finishStarted(horizon: Seq): Promise<number> {
    if (!this.#isUnfinished && !this.#engine.sharing.isShared) return 0
    const { batch, isBlocked } = await this.#inOneState((reader) =>
      startedErasures(reader, this.#engine.ports.hashing, horizon),
    )
    this.#isUnfinished = batch.isFull || batch.continues || isBlocked
    if (isBlocked) this.#heldByReads = this.#boundAt
    return this.#finish(batch, { purges: true })
  }

  async #eraseNext(horizon: Seq): Promise<number> {
    const { hashing } = this.#engine.ports
    const floor = await this.#replicas.floor()
    const { forks, batch, step } = await this.#inOneState(async (reader) => {
      const rows = committedRows(reader, hashing)
      const pins = await loadPins(rows)
      const kept = Math.min(keptByTasks(await loadTasks(rows)), await keptBySubscriptions(reader, hashing))
      const upTo = Math.min(horizon, kept)
      const { due, retentions, shortage } = await this.#due(reader, { seen: horizon, upTo, floor }, pins)
      const found = { reader, retentions, snapshots: pins, horizon: upTo, excess: shortage }
      if (await this.#replicas.settle(found, floor)) this.#again = true
      return { forks: releasableForks(pins, upTo), batch: due, step: await this.#unpinned.step(reader, hashing) }
    })
    for (const fork of forks) await this.#releaseFork(fork)
    if (step !== undefined) await this.#release(step)
    if (batch.isEmpty) return 0
    const due = batch.erasures.map(({ freedBy, index }) => ({ freedBy, index }))
    const contents = [...due, ...batch.pinned]
    const events = await this.#engine.writer.submit({ type: 'StartErasure', data: { contents }, meta: this.#meta })
    // A command may have used some of the contents again since they were found: only those in the log may go.
    const isWhole = namesAll(events, due)
    if (events.some(({ type }) => type === 'PinsSettled')) this.#again = true
    this.#isUnfinished ||= batch.continues || !isWhole
    return isWhole ? this.#finish(batch) : this.#finishStarted(horizon)
  }

  /** `purges`: a command may have started the erasure. It ends only when no file of the store has anything of the bytes. */
  async #finish({ erasures, blobs, inline, sideRows: keys }: ErasureBatch, { purges = false } = {}): Promise<number> {
    if (erasures.length === 0) return 0
    const { ports, writer, requests } = this.#engine
    try {
      if (!purges) await ports.blobs.delete(blobs)
      else if (!(await purgeBytes(ports, blobs, keys))) {
        this.#isUnfinished = true
        return 0
      }
    } catch (error) {
      throw requests.stopOnMediumFailure(error)
    }
    const sideRows = inline.map((id): RowChange => ({ key: inlineTable.key(id), value: null }))
    await writer.submit({ type: 'EraseContents', data: { erased: erasures }, meta: this.#meta }, sideRows)
    return erasures.length
  }

  #forgetPlaces(): void {
    this.#queues.forget()
    this.#excess.forget()
    this.#replicas.forget()
  }

  get #meta(): CommandMeta {
    return { by: { id: 'varve', name: 'sweep' }, requestId: this.#engine.ports.ids.next(), job: 'erasure' }
  }

  /**
   * Where another engine may compute the views, they are read in one state and whole: a missing row of a part would leave
   * its bytes for ever.
   */
  #inOneState<R>(ask: (reader: RowReader) => Soon<R>): Soon<R> {
    const { ports, sharing } = this.#engine
    return sharing.isShared ? this.#engine.withSnapshot(ask) : ask(ports.journal)
  }

  /** Garbage whose retention is over and that no read can still use; without any, what takes too much room. */
  async #due(reader: RowReader, { seen, upTo, floor }: Horizon, pins: readonly Pin[]): Promise<Due> {
    const horizon = Math.min(upTo, floor)
    const { clock, options, ports, writer } = this.#engine
    clock.observe(writer.committed)
    const rows = committedRows(reader, ports.hashing)
    const batch = new ErasureBatch(rows)
    const retentions = await Retentions.load(rows, options.retentionMs, clock)
    this.#retentions = retentions
    clock.keep(retentions)
    await this.#queues.walk(reader, ports.hashing, {
      isFull: () => batch.isFull,
      take: async (place, queue) => {
        // Replicas need no bytes that no version had.
        const isHeld = place.freedBy > (queue === unseenQueue ? upTo : horizon)
        if (isHeld && place.freedBy <= seen) return false
        const garbage = await rows.get(garbageTable.key(place))
        if (garbage === undefined) return !isHeld
        if (!clock.isPastRetention(retentions.keepMs(queue), place.freedBy, garbage.at)) return false
        if (isHeld) this.#heldByReads = this.#boundAt
        else await batch.take(place, garbage, pins)
        return !isHeld
      },
    })
    const shortage = batch.isEmpty ? await this.#excess.addTo(batch, { reader, retentions, pins, horizon }) : noShortage
    return { due: batch, retentions, shortage }
  }
}

/** What was freed after `seen` may still be read; after `upTo`, read or needed by a task; after `floor`, by a replica. */
interface Horizon {
  readonly seen: Seq
  readonly upTo: Seq
  readonly floor: Seq
}

/** What is to be erased now, and what takes too much room and stays. */
interface Due {
  readonly due: ErasureBatch
  readonly retentions: Retentions
  readonly shortage: Shortage
}

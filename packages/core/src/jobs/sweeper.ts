/**
 * Erases bytes that are no longer needed: contents of removed versions after the retention, or before it if they take
 * more room than they may.
 *
 * Erasure has three steps, and this order makes it safe. `ErasureStarted`: from then on no command can use the bytes
 * again. Then the bytes. Then `ContentsErased`, so a crash in between leaves garbage that is erased again. Nothing is
 * erased while a read that began before the removal is in progress, while its write is in flight, or while the outcome
 * of a commit is unknown.
 */
import type { CommandMeta } from '../commands/command.ts'
import type { Engine } from '../engine/engine.ts'
import type { RowChange, RowReader, Seq } from '../ports/index.ts'
import { Retentions } from '../retention/retentions.ts'
import { committedRows } from '../views/row-reader.ts'
import { erasingTable, garbageTable } from '../views/content-tables.ts'
import { inlineTable } from '../views/tables.ts'
import { ErasureBatch } from './erasure-batch.ts'
import type { Jobs } from './jobs.ts'
import { garbageInOrder } from './garbage-in-order.ts'
import { Excess } from './excess.ts'
import { WaitingQueues } from './waiting-queues.ts'

/** What a sweep erased. */
export interface SweepResult {
  /** Contents of removed versions and unused parts that were erased. */
  readonly erased: number
  /** Blobs that were removed because no event names them. */
  readonly orphans: number
}

const sweepActor = { id: 'varve', name: 'sweep' }

export class Sweeper {
  readonly #engine: Engine
  readonly #jobs: Jobs
  readonly #queues = new WaitingQueues()
  readonly #excess: Excess
  #running: Promise<number> | undefined
  #again = false
  /** As the last sweep found them. */
  #retentions: Retentions | undefined
  /** True if an erasure may have been started and not ended: after an opening, and after an error. */
  #isUnfinished = true

  constructor(engine: Engine, jobs: Jobs) {
    this.#engine = engine
    this.#jobs = jobs
    this.#excess = new Excess(engine)
  }

  /** False if nothing that is freed now can be due: then a sweep from time to time finds what is due. */
  get isEager(): boolean {
    return this.#retentions?.erasesAtOnce !== false || this.#excess.isOver
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
      this.#queues.forget()
      throw error
    } finally {
      // No `await` since the last check of `#again`: a call in between would share a sweep that has ended.
      this.#running = undefined
    }
  }

  #round(): Promise<number> {
    const { reads, writer, sharing } = this.#engine
    const upTo = Math.min(reads.oldest, writer.committed)
    return reads.erase(upTo, () => sharing.erasing(upTo, (horizon) => this.#erase(horizon)))
  }

  async #erase(horizon: Seq): Promise<number> {
    return (await this.#finishStarted(horizon)) || (await this.#eraseNext(horizon))
  }

  /** Ends erasures that a crash, an error or another engine left, and those of contents with many parts. */
  async #finishStarted(horizon: Seq): Promise<number> {
    if (!this.#isUnfinished && !this.#engine.sharing.isShared) return 0
    const batch = await this.#inOneState((reader) => this.#started(reader, horizon))
    this.#isUnfinished = batch.isFull || batch.continues
    return this.#finish(batch)
  }

  async #eraseNext(horizon: Seq): Promise<number> {
    const batch = await this.#inOneState((reader) => this.#due(reader, horizon))
    if (batch.erasures.length === 0) return 0
    const contents = batch.erasures.map(({ freedBy, index }) => ({ freedBy, index }))
    const events = await this.#engine.writer.submit({ type: 'StartErasure', data: { contents }, meta: this.#meta })
    // A command may have used some of the contents again since they were found: only those in the log may go.
    const isWhole = events.some(
      ({ type, data }) => type === 'ErasureStarted' && data.contents.length === contents.length,
    )
    this.#isUnfinished ||= batch.continues || !isWhole
    return isWhole ? this.#finish(batch) : this.#finishStarted(horizon)
  }

  async #finish({ erasures, blobs, inline }: ErasureBatch): Promise<number> {
    if (erasures.length === 0) return 0
    const { ports, writer, requests } = this.#engine
    try {
      await ports.blobs.delete(blobs)
    } catch (error) {
      throw requests.stopOnMediumFailure(error)
    }
    const sideRows = inline.map((id): RowChange => ({ key: inlineTable.key(id), value: null }))
    await writer.submit({ type: 'EraseContents', data: { erased: erasures }, meta: this.#meta }, sideRows)
    return erasures.length
  }

  get #meta(): CommandMeta {
    return { by: sweepActor, requestId: this.#engine.ports.ids.next(), job: 'erasure' }
  }

  /**
   * Where another engine may compute the views, they are read in one state and whole: a missing row of a part would leave
   * its bytes for ever.
   */
  #inOneState<R>(ask: (reader: RowReader) => Promise<R>): Promise<R> {
    const { ports, sharing } = this.#engine
    return sharing.isShared ? this.#engine.withSnapshot(ask) : ask(ports.journal)
  }

  async #started(reader: RowReader, horizon: Seq): Promise<ErasureBatch> {
    const { hashing } = this.#engine.ports
    const batch = new ErasureBatch(committedRows(reader, hashing))
    for await (const { place, row } of garbageInOrder(reader, hashing, erasingTable.range)) {
      if (batch.isFull || place.freedBy > horizon) break
      await batch.add(place, row.content)
    }
    return batch
  }

  /** Garbage whose retention is over and that no read can still use; without any, what takes too much room. */
  async #due(reader: RowReader, horizon: Seq): Promise<ErasureBatch> {
    const { clock, options, ports, writer } = this.#engine
    clock.observe(writer.committed)
    const rows = committedRows(reader, ports.hashing)
    const batch = new ErasureBatch(rows)
    const retentions = await Retentions.load(rows, options.retentionMs)
    this.#retentions = retentions
    clock.keep(retentions)
    await this.#queues.walk(reader, ports.hashing, {
      isFull: () => batch.isFull,
      async take(place, queue) {
        if (place.freedBy > horizon) return false
        const garbage = await rows.get(garbageTable.key(place))
        if (garbage === undefined) return true
        if (!clock.isPastRetention(retentions.keepMs(queue), place.freedBy, garbage.at)) return false
        await batch.add(place, garbage.content)
        return true
      },
    })
    if (batch.erasures.length === 0) await this.#excess.addTo(batch, { reader, retentions, horizon })
    return batch
  }
}

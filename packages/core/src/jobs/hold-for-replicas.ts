/**
 * Holds a sweep back for replicas, and gives up what they would hold too much of: the oldest bytes first, of which each content is read
 * once more.
 */
import type { Engine } from '../engine/engine.ts'
import type { RowReader, Seq } from '../ports/index.ts'
import type { Retentions } from '../retention/retentions.ts'
import { garbageTable } from '../views/content-tables.ts'
import { queueOf, unseenQueue } from '../views/garbage.ts'
import { isPinned } from '../views/pins.ts'
import { committedRows } from '../views/row-reader.ts'
import type { GarbageRow, Pin } from '../views/rows.ts'
import type { Shortage } from './excess.ts'
import { garbageInOrder } from './garbage-in-order.ts'
import type { ReplicationName } from './job-name.ts'
import type { ReplicaPins } from './replica-pins.ts'

/** What a sweep has found. */
export interface Found {
  readonly reader: RowReader
  readonly retentions: Retentions
  /** Of snapshots. */
  readonly snapshots: readonly Pin[]
  /** What was freed after it stays for other reasons. */
  readonly horizon: Seq
  /** What is kept though it takes too much room. Nothing, as long as there is something to erase. */
  readonly excess: Shortage
}

/** How many contents are given up at once. */
const contentsMax = 5000

export class HoldForReplicas {
  readonly #engine: Engine
  readonly #pins: ReplicaPins

  constructor(engine: Engine, pins: ReplicaPins) {
    this.#engine = engine
    this.#pins = pins
  }

  get isNeeded(): boolean {
    return !this.#pins.isEmpty
  }

  /** The position after which replicas need all bytes that were freed. */
  async floor(): Promise<Seq> {
    if (!this.isNeeded) return Number.POSITIVE_INFINITY
    const floor = await this.#pins.floor(this.#engine.writer.committed)
    this.#pins.counted.dropUpTo(floor)
    return floor
  }

  /** Call it if contents were erased all the same, or if others are due now. */
  forget(): void {
    this.#pins.counted.forget()
  }

  /** Counts what stays for replicas, and gives up what is too much. True if there is more to do. */
  async settle(found: Found, floor: Seq): Promise<boolean> {
    if (!this.isNeeded || floor >= found.horizon) return false
    const hasMore = await this.#count(found, floor)
    let isGivenUp = false
    for (const job of this.#pins.jobs) if (await this.#giveUpFor(job, found)) isGivenUp = true
    return hasMore || isGivenUp
  }

  #count({ reader, retentions, snapshots, horizon }: Found, floor: Seq): Promise<boolean> {
    const { clock, ports } = this.#engine
    const rows = committedRows(reader, ports.hashing)
    return this.#pins.counted.count(reader, ports.hashing, async (place, queue) => {
      if (place.freedBy > horizon) return undefined
      if (place.freedBy <= floor || queue === unseenQueue) return 0
      const garbage = await rows.get(garbageTable.key(place))
      if (garbage === undefined) return 0
      if (!clock.isPastRetention(retentions.keepMs(queue), place.freedBy, garbage.at)) return undefined
      return isPinned(place, garbage, snapshots) ? 0 : garbage.bytes
    })
  }

  async #giveUpFor(job: ReplicationName, found: Found): Promise<boolean> {
    const { overBudget, missing } = found.excess
    const floor = await this.#pins.floorOf(job, this.#engine.writer.committed)
    if (floor >= found.horizon) return false
    const pinned = this.#pins.counted.after(floor).bytes
    // What the retention would give up for want of room is pinned too.
    const tooMany = Math.max(Math.max(pinned, overBudget) - this.#pins.maxBytesOf(job), missing)
    return tooMany > 0 && this.#giveUp(job, { floor, tooMany }, found)
  }

  async #giveUp(
    job: ReplicationName,
    { floor, tooMany }: { readonly floor: Seq; readonly tooMany: number },
    found: Found,
  ): Promise<boolean> {
    const { ports } = this.#engine
    const isAnyDue = found.excess.overBudget + found.excess.missing > 0
    const range = { ...garbageTable.range, gte: garbageTable.key({ freedBy: floor + 1, index: 0 }).bytes }
    let [upTo, contents, bytes] = [floor, 0, 0]
    for await (const { place, row } of garbageInOrder(found.reader, ports.hashing, range)) {
      const isEnough = bytes >= tooMany || contents >= contentsMax
      if (place.freedBy > found.horizon || (isEnough && place.freedBy > upTo)) break
      upTo = place.freedBy
      if (
        row.since === undefined ||
        isPinned(place, row, found.snapshots) ||
        !(isAnyDue || this.#isDue(place.freedBy, row, found))
      )
        continue
      contents++
      bytes += row.bytes
    }
    if (contents === 0) return false
    this.#pins.giveUp(job, upTo, { contents, bytes })
    return true
  }

  #isDue(freedBy: Seq, garbage: GarbageRow, { retentions }: Found): boolean {
    return this.#engine.clock.isPastRetention(retentions.keepMs(queueOf(garbage)), freedBy, garbage.at)
  }
}

/** Garbage that takes more room than it may: it is erased before its retention ends, the oldest first. */
import type { Engine } from '../engine/engine.ts'
import type { Room, RowReader, Seq } from '../ports/index.ts'
import type { RetentionBudget } from '../settings/byte-retention.ts'
import type { Retentions } from '../retention/retentions.ts'
import { committedRows } from '../views/row-reader.ts'
import { isPinned } from '../views/pins.ts'
import type { GarbageRow, Pin } from '../views/rows.ts'
import { garbageTable, usageTable } from '../views/content-tables.ts'
import { allBuckets } from '../views/usage.ts'
import type { ErasureBatch } from './erasure-batch.ts'
import { garbageInOrder } from './garbage-in-order.ts'

/** An erasure goes on until this share of the budget is free, so that not every write must erase. */
const freeShare = 1 / 16

/** Bytes that take too much room: more than the budget, and more than the medium has. */
export interface Shortage {
  readonly overBudget: number
  readonly missing: number
}

export const noShortage: Shortage = { overBudget: 0, missing: 0 }

interface State {
  readonly reader: RowReader
  readonly retentions: Retentions
  readonly pins: readonly Pin[]
  /** What was freed after it may still be read. */
  readonly horizon: Seq
}

export class Excess {
  readonly #engine: Engine
  /** There is no garbage before this key. LevelDB would walk over every row that it has deleted lately. */
  #from = garbageTable.range.gte
  #allowed = Number.POSITIVE_INFINITY

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** Call it if garbage was returned: it may be older than the rest. */
  forget(): void {
    this.#from = garbageTable.range.gte
  }

  /** Whether more is kept than the budget allowed at the last sweep, as far as this is known. */
  get isOver(): boolean {
    return (this.#engine.keptBytes ?? 0) > this.#allowed
  }

  /**
   * Adds the oldest garbage until what is kept fits into its budget, and the medium has room for writes. Resolves with what is still too
   * much, if nothing could be added.
   */
  async addTo(batch: ErasureBatch, state: State): Promise<Shortage> {
    const surplus = await this.#surplus(state.reader, state.retentions)
    const { rest } = surplus
    await this.#take(surplus, batch, state)
    return batch.isEmpty ? rest : noShortage
  }

  async #take(surplus: Surplus, batch: ErasureBatch, { reader, pins, horizon }: State): Promise<void> {
    if (surplus.isTaken) return
    const { hashing } = this.#engine.ports
    let isFirst = true
    for await (const { key, place, row } of garbageInOrder(reader, hashing, {
      ...garbageTable.range,
      gte: this.#from,
    })) {
      if (isFirst) this.#from = key
      isFirst = false
      if (batch.isFull || place.freedBy > horizon || surplus.isTaken) return
      if (surplus.take(row, isPinned(place, row, pins))) await batch.take(place, row, pins)
    }
  }

  async #surplus(reader: RowReader, { budget }: Retentions): Promise<Surplus> {
    const { kept, allowed, room } = await keptBytes(this.#engine, reader, budget)
    this.#allowed = allowed
    return new Surplus(
      kept <= this.#allowed ? 0 : kept - Math.floor(this.#allowed * (1 - freeShare)),
      room === undefined ? 0 : Math.max(0, 2 * room.reserved - room.free),
    )
  }
}

/** Bytes that are too many: for the budget, and for the room that writes need. */
class Surplus {
  #overBudget: number
  #missing: number

  constructor(overBudget: number, missing: number) {
    this.#overBudget = overBudget
    this.#missing = missing
  }

  get isTaken(): boolean {
    return this.#overBudget <= 0 && this.#missing <= 0
  }

  get rest(): Shortage {
    return { overBudget: Math.max(0, this.#overBudget), missing: Math.max(0, this.#missing) }
  }

  /**
   * False if taking this garbage would help nothing. Pinned garbage is outside the budget once it is set aside, and
   * returns no room.
   */
  take(row: GarbageRow, pinned: boolean): boolean {
    const givesRoom = !pinned && returnsRoom(row)
    if (this.#overBudget <= 0 && !givesRoom && !pinned) return false
    this.#overBudget -= row.bytes
    if (givesRoom) this.#missing -= row.bytes
    return true
  }
}

/** The bytes that are kept, and how many may be. */
export async function keptBytes(
  { ports: { hashing, reserve } }: Engine,
  reader: RowReader,
  budget: RetentionBudget | undefined,
): Promise<{ readonly kept: number; readonly allowed: number; readonly room: Room | undefined }> {
  const { kept = 0 } = (await committedRows(reader, hashing).get(usageTable.key(allBuckets))) ?? {}
  const room = await reserve?.room?.()
  return { kept, allowed: allowedBy(budget, room), room }
}

/** How many bytes may be kept. */
function allowedBy(budget: RetentionBudget | undefined, room: Room | undefined): number {
  const { bytes = Number.POSITIVE_INFINITY, percent } = budget ?? {}
  const share = percent === undefined || room === undefined ? Number.POSITIVE_INFINITY : (room.total * percent) / 100
  return Math.min(bytes, share)
}

/** Whether the medium has more room as soon as the bytes are erased. A database returns the room of rows much later. */
const returnsRoom = ({ content }: GarbageRow): boolean => content.kind !== 'blob' || !content.blob.inline

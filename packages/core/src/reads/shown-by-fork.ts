/** What a new fork would be charged for: bytes that it would show and that no version needs any more. */
import type { Hashing, RowRange, RowReader, Seq } from '../ports/index.ts'
import { wholeStore } from '../settings/whole-store.ts'
import { bucketRowAt } from '../views/bucket-row-at.ts'
import { contentId } from '../views/contents.ts'
import { type GarbagePlace, garbageTable, pinnedByTable, pinnedTable, waitingTable } from '../views/content-tables.ts'
import type { Rows } from '../views/row-reader.ts'
import type { BucketRow, GarbageRow } from '../views/rows.ts'
import { pastVersionTable } from '../views/tables.ts'
import type { VersionRow } from '../views/version-row.ts'
import { walkRows } from './row-walk.ts'

interface Reading {
  readonly reader: RowReader
  readonly rows: Rows
  readonly hashing: Hashing
}

/** In bytes. */
export interface ShownByFork {
  /** All that it would show. */
  readonly shown: number
  /** What snapshots or other forks keep already, so that no sweep would set it aside for the fork, and what several buckets shared. */
  readonly inherited: number
}

interface Base {
  readonly bucket: string
  /** The bucket as it was. */
  readonly row: BucketRow
  /** Absent: now. */
  readonly position?: Seq | undefined
}

/** A bucket whose bytes the fork shows, as it was after an event: the base, and what that is a fork of. */
interface Level {
  readonly bucket: string
  readonly incarnation: Seq
  readonly at: Seq
}

/** Stops when it is certain that they are more than `room` bytes. */
export async function bytesShownByFork(reading: Reading, base: Base, room: number): Promise<ShownByFork> {
  const count = new ShownCount(reading, base.position ?? Number.MAX_SAFE_INTEGER, room)
  let row: BucketRow | undefined = base.row
  let level: Level | undefined = {
    bucket: base.bucket,
    incarnation: row.incarnation,
    at: base.position ?? Number.MAX_SAFE_INTEGER,
  }
  for (let isBase = true; level !== undefined && !count.isOver; isBase = false) {
    await count.add(level, isBase)
    const next: BucketRow['base'] = row?.base
    level = next && { bucket: next.bucket, incarnation: next.incarnation, at: next.position }
    row = next && (await bucketRowAt(reading.rows, next.bucket, next.position))
  }
  return { shown: count.waiting + count.inherited, inherited: count.inherited }
}

class ShownCount {
  /** What a sweep sets aside for the fork, or what is freed in time to count for it then. */
  waiting = 0
  inherited = 0
  readonly #reading: Reading
  readonly #position: Seq
  readonly #room: number

  constructor(reading: Reading, position: Seq, room: number) {
    this.#reading = reading
    this.#position = position
    this.#room = room
  }

  get isOver(): boolean {
    return this.waiting + this.inherited > this.#room
  }

  async add(level: Level, isBase: boolean): Promise<void> {
    // Nothing of a bucket as it is now is removed.
    if (level.at === Number.MAX_SAFE_INTEGER) return
    const { incarnation, at } = level
    const isVisible = ({ since }: GarbageRow, { freedBy }: GarbagePlace): boolean =>
      since !== undefined && since <= at && at < freedBy
    /** Bytes that several buckets had, by their contents. */
    const crossed = new Map<string, number>()
    const take = (place: GarbagePlace, garbage: GarbageRow): void => {
      if (!isVisible(garbage, place)) return
      const id = garbage.home === incarnation ? undefined : contentId(garbage.content)
      if (id !== undefined) crossed.set(id, garbage.bytes)
      else if (garbage.pin === undefined && (isBase || place.freedBy > this.#position)) this.waiting += garbage.bytes
      else this.inherited += garbage.bytes
    }
    for (const queue of [incarnation, wholeStore]) {
      const waiting = waitingTable.key(queue, { freedBy: at + 1, index: 0 }).bytes
      const { lt } = waitingTable.ofQueue(queue)
      await this.#each({ gte: waiting, lt }, (key) => [waitingTable.place(key), garbageTable], take)
      const pinned = { gte: pinnedByTable.from(queue, 0), lt: pinnedByTable.from(queue + 1, 0) }
      await this.#each(pinned, (key) => [pinnedByTable.place(key), pinnedTable], take)
    }
    if (crossed.size > 0) await this.#takeCrossed(level, crossed)
  }

  /** `garbageOf`: from the key of a list, where the garbage is. */
  async #each(
    list: RowRange,
    garbageOf: (key: Uint8Array) => readonly [GarbagePlace, typeof garbageTable],
    take: (place: GarbagePlace, garbage: GarbageRow) => void,
  ): Promise<void> {
    const { reader, rows, hashing } = this.#reading
    const walk = walkRows(reader, hashing, list)
    try {
      for (let next = await walk.next(); next !== undefined && !this.isOver; next = await walk.next()) {
        const [place, table] = garbageOf(next.key)
        const garbage = await rows.get(table.key(place))
        if (garbage !== undefined) take(place, garbage)
      }
    } finally {
      await walk.close()
    }
  }

  /** Which bucket had such bytes is known of versions only. */
  async #takeCrossed({ bucket, at }: Level, crossed: Map<string, number>): Promise<void> {
    const { reader, hashing } = this.#reading
    const walk = walkRows<VersionRow>(reader, hashing, pastVersionTable.range(bucket, ''))
    try {
      for (let next = await walk.next(); next !== undefined && crossed.size > 0; next = await walk.next()) {
        const { row } = next
        if (row.deleteMarker || row.seq > at || (row.until ?? 0) <= at) continue
        const id = contentId(row.facts.content) ?? ''
        this.inherited += crossed.get(id) ?? 0
        crossed.delete(id)
      }
    } finally {
      await walk.close()
    }
  }
}

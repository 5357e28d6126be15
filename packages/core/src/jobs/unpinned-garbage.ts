/**
 * Finds the garbage of deleted snapshots, which is set aside and which no snapshot keeps any more.
 *
 * Pinned garbage is listed below the pin that kept it first. Any pin of its life would do, also one that is gone. So
 * nothing moves when a snapshot is deleted. What it alone kept is listed between the pins on both sides of it, and
 * became visible after the lower one. Garbage that the lower one keeps too is behind that, and is not read.
 */
import type { Hashing, RowRange, RowReader, Seq } from '../ports/index.ts'
import { firstRows } from '../reads/row-walk.ts'
import { wholeStore } from '../settings/whole-store.ts'
import { type GarbagePlace, pinnedByTable, unpinnedTable } from '../views/content-tables.ts'
import { isFor, loadPins } from '../views/pins.ts'
import { committedRows } from '../views/row-reader.ts'
import type { Pin, PinnedByRow, UnpinnedRow } from '../views/rows.ts'

const rowsMax = 500
const lastQueue = Number.MAX_SAFE_INTEGER
/** How often one step looks for the next list. */
const seeksMax = 100

/** One step of the work for one deleted snapshot. */
export interface UnpinnedStep {
  readonly unpinned: Pin
  /** Garbage that the snapshot may have kept alone. */
  readonly contents: readonly GarbagePlace[]
  /** True if there is no more. */
  readonly isLast: boolean
}

export class UnpinnedGarbage {
  /** Where the next step continues, for this pin. Everything before was looked at. */
  #next: { readonly unpinned: Pin; readonly from: Uint8Array } | undefined

  /** `undefined` if there is no deleted snapshot left. */
  async step(reader: RowReader, hashing: Hashing): Promise<UnpinnedStep | undefined> {
    const [first] = await firstRows<UnpinnedRow>(reader, hashing, unpinnedTable.range, 1)
    if (first === undefined) return undefined
    const unpinned = unpinnedTable.pin(first.key)
    const walk = new ListWalk(reader, hashing, {
      unpinned,
      pins: await loadPins(committedRows(reader, hashing)),
      from: this.#startFor(unpinned),
    })
    const contents: GarbagePlace[] = []
    for (let seeks = 0; seeks < seeksMax && contents.length < rowsMax; seeks++) {
      const found = await walk.next(rowsMax - contents.length)
      if (found === undefined) {
        this.#next = undefined
        return { unpinned, contents, isLast: true }
      }
      contents.push(...found)
    }
    this.#next = { unpinned, from: walk.from }
    return { unpinned, contents, isLast: false }
  }

  /** Call it if a step was not committed, and when a pin is settled: the same pin may come and go again. */
  forget(): void {
    this.#next = undefined
  }

  #startFor({ position, of }: Pin): Uint8Array {
    const { unpinned, from } = this.#next ?? {}
    return from !== undefined && unpinned?.position === position && unpinned.of === of ? from : pinnedByTable.range.gte
  }
}

interface Search {
  readonly unpinned: Pin
  readonly pins: readonly Pin[]
  readonly from: Uint8Array
}

/** Walks the lists of garbage that one deleted snapshot may have kept. Each call of `next` is one seek. */
class ListWalk {
  from: Uint8Array
  readonly #reader: RowReader
  readonly #hashing: Hashing
  readonly #unpinned: Pin
  readonly #pins: readonly Pin[]

  constructor(reader: RowReader, hashing: Hashing, { unpinned, pins, from }: Search) {
    this.#reader = reader
    this.#hashing = hashing
    this.#unpinned = unpinned
    this.#pins = pins
    this.from = from
  }

  async next(rowsMost: number): Promise<readonly GarbagePlace[] | undefined> {
    const found = await this.#first({ gte: this.from, lt: pinnedByTable.range.lt }, 1)
    const [place] = found
    if (place === undefined) return undefined
    const { queue, pin, since } = place
    if (!this.#isSearched(queue)) return this.#skipTo(queue < this.#unpinned.of ? this.#unpinned.of : lastQueue, 0)
    const neighbours = this.#neighboursIn(queue)
    if (neighbours === undefined) return this.#skipTo(queue + 1, 0)
    const { lower, upper } = neighbours
    if (pin <= lower) return this.#skipTo(queue, lower + 1)
    if (pin >= upper) return this.#skipTo(queue + 1, 0)
    if (since <= lower) return this.#skipTo(queue, pin + 1)
    const end = pinnedByTable.fromSince(queue, pin, lower)
    const places = await this.#first({ gte: this.from, lt: end }, rowsMost)
    const last = places.at(-1)
    this.from = places.length < rowsMost || last === undefined ? end : after(last)
    return places.map(({ freedBy, index }) => ({ freedBy, index }))
  }

  #skipTo(queue: Seq, pin: Seq): readonly GarbagePlace[] {
    this.from = pinnedByTable.from(queue, pin)
    return []
  }

  /** Queue 0 is garbage that several buckets had. */
  #isSearched(queue: Seq): boolean {
    const { of } = this.#unpinned
    return of === wholeStore || queue === of || queue === 0
  }

  /** The pins on both sides that keep garbage of the queue; `undefined` if another one is at the same position. */
  #neighboursIn(queue: Seq): { readonly lower: Seq; readonly upper: Seq } | undefined {
    const { position } = this.#unpinned
    const isCrossed = queue === 0
    const positions = this.#pins
      .filter((pin) => isFor(pin, { home: queue, ...(isCrossed && { crossed: true }) }))
      .map((pin) => pin.position)
    if (positions.includes(position)) return undefined
    return {
      lower: positions.findLast((each) => each < position) ?? 0,
      upper: positions.find((each) => each > position) ?? Number.POSITIVE_INFINITY,
    }
  }

  async #first(range: RowRange, count: number) {
    const rows = await firstRows<PinnedByRow>(this.#reader, this.#hashing, range, count)
    return rows.map(({ key }) => pinnedByTable.place(key))
  }
}

const after = (place: Parameters<typeof pinnedByTable.key>[0]): Uint8Array =>
  Uint8Array.of(...pinnedByTable.key(place).bytes, 0)

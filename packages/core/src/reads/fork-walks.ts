/**
 * Walks over a fork: its own rows and those of its base in the order of their keys. The base is walked as it was, so the
 * cost is that of both walks. Markers say which keys and versions the fork describes by rows of its own.
 */
import { compareKeys } from '../bytes/compare-keys.ts'
import type { Hashing, RowReader, Seq } from '../ports/index.ts'
import { borrowedTable, ownKeyTable } from '../views/fork-tables.ts'
import type { KeyedRow } from '../views/row-reader.ts'
import type { BorrowedRow, OwnKeyRow } from '../views/rows.ts'
import type { KeyedObject, KeyedVersion, KeyWalk, ReadSnapshot, StartPlace } from './read-snapshot.ts'
import { type Walk, walkRows } from './row-walk.ts'

export interface WalkedFork {
  readonly incarnation: Seq
  /** The base in its state at the position. */
  readonly base: { readonly name: string; readonly snapshot: ReadSnapshot }
  /** The position of the state of the fork. Absent: the newest. */
  readonly at?: Seq
}

export class ForkWalks {
  readonly #reader: RowReader
  readonly #hashing: Hashing
  readonly #fork: WalkedFork

  constructor(reader: RowReader, hashing: Hashing, fork: WalkedFork) {
    this.#reader = reader
    this.#hashing = hashing
    this.#fork = fork
  }

  /** The newest version of each key, unless it is a delete marker. `own`: those among the fork's own rows. */
  objects(own: KeyWalk<KeyedObject>, prefix: string, start: StartPlace | undefined): KeyWalk<KeyedObject> {
    const { incarnation, base, at = Number.POSITIVE_INFINITY } = this.#fork
    const range = ownKeyTable.range(incarnation, prefix)
    const ownKeys = new OwnKeys(walkRows<OwnKeyRow>(this.#reader, this.#hashing, range), incarnation, at)
    return merged([own, base.snapshot.objects(base.name, prefix, start)], {
      order: (a, b) => compareKeys(a.key, b.key),
      choose: async (mine, theirs) => ((await ownKeys.has((mine ?? theirs)?.key ?? '')) ? mine : theirs),
      close: () => ownKeys.close(),
    })
  }

  /** All versions. `own`: those among the fork's own rows. */
  versions(own: KeyWalk<KeyedVersion>, prefix: string, start: StartPlace | undefined): KeyWalk<KeyedVersion> {
    const { incarnation, base } = this.#fork
    const range = borrowedTable.range(incarnation, prefix)
    const borrowed = new Borrowed(walkRows<BorrowedRow>(this.#reader, this.#hashing, range), incarnation)
    return merged([own, base.snapshot.versions(base.name, prefix, start)], {
      order: (a, b) => compareKeys(a.key, b.key) || b.row.seq - a.row.seq,
      choose: async (mine, theirs) =>
        mine ?? (theirs !== undefined && (await borrowed.has(theirs.key, theirs.row.seq)) ? undefined : theirs),
      close: () => borrowed.close(),
    })
  }
}

interface Merging<T> {
  readonly order: (mine: T, theirs: T) => number
  /** Called with what both walks have at one place. `undefined`: the fork has nothing there. */
  readonly choose: (mine: T | undefined, theirs: T | undefined) => Promise<T | undefined>
  readonly close: () => Promise<void>
}

function merged<T extends { readonly key: string }>(
  [mine, theirs]: readonly [KeyWalk<T>, KeyWalk<T>],
  { order, choose, close }: Merging<T>,
): KeyWalk<T> {
  const [own, base] = [new Peeked(mine), new Peeked(theirs)]
  return {
    async next() {
      for (;;) {
        const [one, other] = [await own.peek(), await base.peek()]
        if (one === undefined && other === undefined) return undefined
        const comes = one === undefined ? 1 : other === undefined ? -1 : order(one, other)
        if (comes <= 0) own.take()
        if (comes >= 0) base.take()
        const chosen = await choose(comes <= 0 ? one : undefined, comes >= 0 ? other : undefined)
        if (chosen !== undefined) return chosen
      }
    },
    skipPrefix(prefix) {
      own.skipPrefix(prefix)
      base.skipPrefix(prefix)
    },
    async close() {
      await mine.close()
      await theirs.close()
      await close()
    },
  }
}

/** A walk whose next item can be looked at. */
class Peeked<T extends { readonly key: string }> {
  readonly #walk: KeyWalk<T>
  /** `null` if it was not read yet. */
  #held: T | undefined | null = null

  constructor(walk: KeyWalk<T>) {
    this.#walk = walk
  }

  peek(): Promise<T | undefined> | T | undefined {
    return this.#held === null ? this.#read() : this.#held
  }

  take(): void {
    this.#held = null
  }

  skipPrefix(prefix: string): void {
    // The walk has ended, or would not return the held item again.
    if (this.#held === undefined || (this.#held !== null && !this.#held.key.startsWith(prefix))) return
    this.#held = null
    this.#walk.skipPrefix(prefix)
  }

  async #read(): Promise<T | undefined> {
    return (this.#held = await this.#walk.next())
  }
}

/** The markers of a table, asked in the order of their keys. */
abstract class Markers<R> {
  readonly #walk: Walk<KeyedRow<R>>
  #held: KeyedRow<R> | undefined | null = null

  constructor(walk: Walk<KeyedRow<R>>) {
    this.#walk = walk
  }

  close(): Promise<void> {
    return this.#walk.close()
  }

  /** The first marker that is not before the place. `order`: negative for a marker before it. */
  protected async from(
    place: () => Uint8Array,
    order: (found: KeyedRow<R>) => number,
  ): Promise<KeyedRow<R> | undefined> {
    while (this.#held !== undefined) {
      if (this.#held !== null && order(this.#held) >= 0) return this.#held
      this.#walk.skipTo(place())
      this.#held = await this.#walk.next()
    }
    return undefined
  }
}

class OwnKeys extends Markers<OwnKeyRow> {
  readonly #fork: Seq
  readonly #at: Seq

  constructor(walk: Walk<KeyedRow<OwnKeyRow>>, fork: Seq, at: Seq) {
    super(walk)
    this.#fork = fork
    this.#at = at
  }

  async has(key: string): Promise<boolean> {
    const found = await this.from(
      () => ownKeyTable.at(this.#fork, key),
      (marker) => compareKeys(ownKeyTable.objectKey(marker.key), key),
    )
    return found !== undefined && ownKeyTable.objectKey(found.key) === key && found.row.since <= this.#at
  }
}

class Borrowed extends Markers<BorrowedRow> {
  readonly #fork: Seq

  constructor(walk: Walk<KeyedRow<BorrowedRow>>, fork: Seq) {
    super(walk)
    this.#fork = fork
  }

  async has(key: string, version: Seq): Promise<boolean> {
    // A marker of a newer version comes before.
    const order = (marker: KeyedRow<BorrowedRow>): number =>
      compareKeys(borrowedTable.objectKey(marker.key), key) || version - borrowedTable.version(marker.key)
    const found = await this.from(() => borrowedTable.from(this.#fork, key, version), order)
    return found !== undefined && order(found) === 0
  }
}

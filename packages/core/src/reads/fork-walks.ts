/**
 * Walks over a fork: its own rows and those of its base in the order of their keys. The base is walked as it was, so the
 * cost is that of both walks. Markers say which keys and versions the fork describes by rows of its own.
 */
import { compareKeys } from '../bytes/compare-keys.ts'
import type { Hashing, RowReader, Seq } from '../ports/index.ts'
import { borrowedTable, ownKeyTable } from '../views/fork-tables.ts'
import type { KeyedRow } from '../views/row-reader.ts'
import type { BorrowedRow, OwnKeyRow } from '../views/rows.ts'
import type { KeyedObject, KeyedVersion, KeyWalk, Milestone, PastSnapshot, StartPlace } from './read-snapshot.ts'
import { type Walk, walkRows } from './row-walk.ts'
import { again, type Soon, whenThere } from '../base/soon.ts'

export interface WalkedFork {
  readonly incarnation: Seq
  /** The base in its state at the position. */
  readonly base: { readonly name: string; readonly snapshot: PastSnapshot }
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
    const { name, snapshot } = this.#fork.base
    return this.#objects(prefix, [own, snapshot.objects(name, prefix, start)])
  }

  /** The same, with milestones. */
  objectsInSteps(own: KeyWalk<Step>, prefix: string, start: StartPlace | undefined): KeyWalk<Step> {
    const { name, snapshot } = this.#fork.base
    return this.#objects(prefix, [own, snapshot.objectsInSteps(name, prefix, start)])
  }

  #objects<T extends Step>(prefix: string, walks: readonly [own: KeyWalk<T>, base: KeyWalk<T>]): KeyWalk<T> {
    const { incarnation, at = Number.POSITIVE_INFINITY } = this.#fork
    const range = ownKeyTable.range(incarnation, prefix)
    const ownKeys = new OwnKeys(walkRows<OwnKeyRow>(this.#reader, this.#hashing, range), incarnation, at)
    return merged(walks, {
      order: (a, b) => compareKeys(a.key, b.key),
      choose: (mine, theirs) =>
        whenThere(ownKeys.has((mine ?? theirs)?.key ?? ''), (isOwn) =>
          isOwn || (theirs === undefined && mine?.row === undefined) ? mine : theirs,
        ),
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
      choose: (mine, theirs) => {
        if (mine !== undefined || theirs === undefined) return mine
        return whenThere(borrowed.has(theirs.key, theirs.row.seq), (isBorrowed) => (isBorrowed ? undefined : theirs))
      },
      close: () => borrowed.close(),
    })
  }
}

type Step = KeyedObject | Milestone

interface Merging<T> {
  readonly order: (mine: T, theirs: T) => number
  /** Called with what both walks have at one place. `undefined`: the fork has nothing there. */
  readonly choose: (mine: T | undefined, theirs: T | undefined) => Soon<T | undefined>
  readonly close: () => Promise<void>
}

function merged<T extends { readonly key: string }>(
  [mine, theirs]: readonly [KeyWalk<T>, KeyWalk<T>],
  { order, choose, close }: Merging<T>,
): KeyWalk<T> {
  const [own, base] = [new Peeked(mine), new Peeked(theirs)]
  const chosen = (one: T | undefined, other: T | undefined): Soon<T | undefined | typeof again> => {
    if (one === undefined && other === undefined) return undefined
    const comes = one === undefined ? 1 : other === undefined ? -1 : order(one, other)
    if (comes <= 0) own.take()
    if (comes >= 0) base.take()
    const found = choose(comes <= 0 ? one : undefined, comes >= 0 ? other : undefined)
    return whenThere(found, (item) => item ?? again)
  }
  // No helper here: this is called for each row.
  const next = (): Soon<T | undefined> => {
    for (;;) {
      const [one, other] = [own.peek(), base.peek()]
      if (one instanceof Promise || other instanceof Promise) return Promise.all([one, other]).then(next)
      const found = chosen(one, other)
      if (found instanceof Promise) return found.then((item) => (item === again ? next() : item))
      if (found !== again) return found
    }
  }
  return {
    next,
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

  peek(): Soon<T | undefined> {
    return this.#held === null ? whenThere(this.#walk.next(), (found) => (this.#held = found)) : this.#held
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
}

/** The markers of a table, requested in the order of their keys. */
abstract class Markers<R, M> {
  readonly #walk: Walk<KeyedRow<R>>
  #held: M | undefined | null = null

  constructor(walk: Walk<KeyedRow<R>>) {
    this.#walk = walk
  }

  close(): Promise<void> {
    return this.#walk.close()
  }

  protected abstract decoded(found: KeyedRow<R>): M

  /** The first marker that is not before the place. `order`: negative for a marker before it. */
  protected from(place: () => Uint8Array, order: (marker: M) => number): Soon<M | undefined> {
    const held = this.#held
    if (held === undefined || (held !== null && order(held) >= 0)) return held
    return this.#forward(place())
  }

  #forward(place: Uint8Array): Soon<M | undefined> {
    this.#walk.skipTo(place)
    return whenThere(this.#walk.next(), (found) => (this.#held = found && this.decoded(found)))
  }
}

interface OwnKey {
  readonly key: string
  readonly since: Seq
}

class OwnKeys extends Markers<OwnKeyRow, OwnKey> {
  readonly #fork: Seq
  readonly #at: Seq

  constructor(walk: Walk<KeyedRow<OwnKeyRow>>, fork: Seq, at: Seq) {
    super(walk)
    this.#fork = fork
    this.#at = at
  }

  has(key: string): Soon<boolean> {
    const found = this.from(
      () => ownKeyTable.at(this.#fork, key),
      (marker) => compareKeys(marker.key, key),
    )
    return whenThere(found, (marker) => marker?.key === key && marker.since <= this.#at)
  }

  protected override decoded({ key, row }: KeyedRow<OwnKeyRow>): OwnKey {
    return { key: ownKeyTable.objectKey(key), since: row.since }
  }
}

interface BorrowedVersion {
  readonly key: string
  readonly version: Seq
}

class Borrowed extends Markers<BorrowedRow, BorrowedVersion> {
  readonly #fork: Seq

  constructor(walk: Walk<KeyedRow<BorrowedRow>>, fork: Seq) {
    super(walk)
    this.#fork = fork
  }

  has(key: string, version: Seq): Soon<boolean> {
    const found = this.from(
      () => borrowedTable.from(this.#fork, key, version),
      // A marker of a newer version comes before.
      (marker) => compareKeys(marker.key, key) || version - marker.version,
    )
    return whenThere(found, (marker) => marker?.key === key && marker.version === version)
  }

  protected override decoded({ key }: KeyedRow<BorrowedRow>): BorrowedVersion {
    return { key: borrowedTable.objectKey(key), version: borrowedTable.version(key) }
  }
}

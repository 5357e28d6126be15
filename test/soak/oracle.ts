/**
 * What the clients know. One worker owns each key, so the operations on a key have one order. The last acknowledged
 * content must be there. Later operations without a clear answer may have happened.
 */
import type { BodyId } from './bodies.ts'

export const buckets = { plain: 'soak-plain', versioned: 'soak-versioned' } as const

/** What a key holds; nothing, when it was deleted or never written. */
export type Held = BodyId | undefined

const isSame = (a: Held, b: Held): boolean => a?.number === b?.number && a?.size === b?.size

export class Cell {
  readonly key: string
  #known: Held
  #maybe: Held[] = []

  constructor(key: string) {
    this.key = key
  }

  /** What it certainly holds. Use it only when `inDoubt` is false. */
  get known(): Held {
    return this.#known
  }

  get inDoubt(): boolean {
    return this.#maybe.length > 0
  }

  /** Everything it may hold. */
  get possible(): readonly Held[] {
    return [this.#known, ...this.#maybe]
  }

  requested(held: Held): void {
    this.#maybe.push(held)
  }

  /** The last request was done, which settles all earlier doubts. */
  acknowledged(held: Held): void {
    this.#known = held
    this.#maybe = []
  }

  /** The last request was refused, and will not happen. */
  refused(): void {
    this.#maybe.pop()
  }

  /** What a read found once nothing more could happen: from now on that is known. False when it cannot be. */
  found(held: Held): boolean {
    const possible = this.possible.some((one) => isSame(one, held))
    if (possible) this.acknowledged(held)
    return possible
  }
}

/** A key of a versioned bucket. */
export class VersionedCell {
  readonly key: string
  readonly versions = new Map<string, BodyId>()
  readonly maybeAdded: BodyId[] = []
  readonly maybeRemoved = new Set<string>()

  constructor(key: string) {
    this.key = key
  }

  get inDoubt(): boolean {
    return this.maybeAdded.length + this.maybeRemoved.size > 0
  }

  /**
   * Takes the result of a listing, when nothing more could happen. `adopted` are the versions that no one had
   * acknowledged.
   */
  found(ids: readonly string[], adopted: ReadonlyMap<string, BodyId>): string[] {
    const wrong: string[] = []
    const present = new Set(ids)
    for (const id of this.versions.keys()) {
      if (present.has(id)) continue
      if (!this.maybeRemoved.has(id)) wrong.push(`${this.key} version ${id}: lost`)
      this.versions.delete(id)
    }
    for (const id of ids) {
      if (this.versions.has(id)) continue
      const body = adopted.get(id)
      if (body === undefined) wrong.push(`${this.key} version ${id}: nobody asked for it`)
      else this.versions.set(id, body)
    }
    this.maybeAdded.length = 0
    this.maybeRemoved.clear()
    return wrong
  }
}

const shownMax = 100

/** The totals of all workers. */
export class Tally {
  acknowledged = 0
  verified = 0
  bytesVerified = 0
  listings = 0
  /** Answers that left it open, and connections that ended: the faults' doing. */
  unclear = 0
  /** Clients that left on purpose. */
  left = 0
  /** What must never be. */
  readonly wrong: string[] = []
  readonly #onWrong: (what: string) => void

  constructor(onWrong: (what: string) => void) {
    this.#onWrong = onWrong
  }

  accuse(what: string): void {
    this.wrong.push(what)
    if (this.wrong.length <= shownMax) this.#onWrong(what)
  }
}

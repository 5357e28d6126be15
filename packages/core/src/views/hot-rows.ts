/**
 * Rows that were read lately, as they were decoded: asking for them again takes neither the journal nor a snapshot.
 *
 * Commits are numbered as they start, and one is in flight at a time. A state is named by the last commit that had settled when
 * it was looked at; it may hold the one in flight too. Invariant: a row read from a state is the row of every state since, up to
 * now, if no commit that started after the one that names it touched the row: whether the commit in flight is in a state or not
 * makes no difference to rows it does not touch.
 */
import { frozen } from '../base/frozen.ts'
import type { RowChange } from '../ports/index.ts'
import { byteString } from '../bytes/bytes.ts'

/** A commit, by its number. */
type CommitNumber = number

interface HotRow {
  readonly row: object
  /** The state it was read from. */
  readonly from: CommitNumber
  readonly cost: number
}

/** Touched rows are remembered by stripe, so that memory does not grow with them: a stripe touched by one row costs its others a read. */
const stripes = 4096
/** Longer rows are few, and seldom read again. */
const frameBytesMax = 4096
/** What an entry takes beside its text. */
const entryBytes = 200

export class HotRows {
  readonly #bytesMax: number
  readonly #touched = new Float64Array(stripes)
  #started: CommitNumber = 0
  #settled: CommitNumber = 0
  #forgotten: CommitNumber = 0
  /** Two generations: a row that is read moves to the younger, and the older is dropped as a whole. */
  #young = new Map<string, HotRow>()
  #old = new Map<string, HotRow>()
  #youngBytes = 0

  /** `bytesMax`: how much text of rows and keys is kept, about; 0 keeps nothing. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** Names the newest state there is. */
  get settled(): CommitNumber {
    return this.#settled
  }

  /** To be called before any of it can be seen. Commits that do not settle leave what they touched to the journal for good. */
  commitStarts(changes: readonly RowChange[]): CommitNumber {
    const number = ++this.#started
    for (const { key } of changes) this.#touched[stripeOf(key)] = number
    return number
  }

  /** To be called when all of the commit is visible, and before it is acknowledged. */
  commitSettled(number: CommitNumber): void {
    this.#settled = number
  }

  /** All rows may be others from now on, and some neither the old nor the new: for before and after views are made again. */
  forgetAll(): void {
    this.#forgotten = this.#settled = ++this.#started
    this.#touched.fill(this.#started)
    this.#young.clear()
    this.#old.clear()
    this.#youngBytes = 0
  }

  isForgottenSince(state: CommitNumber): boolean {
    return this.#forgotten > state
  }

  /** Whether a row may have changed since a state. */
  isTouchedSince(key: Uint8Array, state: CommitNumber): boolean {
    return (this.#touched[stripeOf(key)] as number) > state
  }

  /** The row as it is in a state. */
  find(key: Uint8Array, state: CommitNumber): object | undefined {
    const name = byteString(key)
    const young = this.#young.get(name)
    const found = young ?? this.#old.get(name)
    if (found === undefined || this.isTouchedSince(key, Math.min(found.from, state))) return undefined
    if (young === undefined) this.#add(name, found)
    return found.row
  }

  /** Keeps what was read from a state, unless it may have changed since. The row is frozen. */
  keep(key: Uint8Array, row: object, frameBytes: number, state: CommitNumber): void {
    if (this.#bytesMax === 0 || frameBytes > frameBytesMax || this.isTouchedSince(key, state)) return
    this.#add(byteString(key), { row: frozen(row), from: state, cost: entryBytes + key.length + frameBytes })
  }

  #add(name: string, entry: HotRow): void {
    if (this.#youngBytes + entry.cost > this.#bytesMax / 2) {
      this.#old = this.#young
      this.#young = new Map()
      this.#youngBytes = 0
    }
    const before = this.#young.get(name)?.cost ?? 0
    this.#young.set(name, entry)
    this.#youngBytes += entry.cost - before
  }
}

/** FNV-1a. */
function stripeOf(key: Uint8Array): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ (key[i] as number), 0x01000193)
  return (hash >>> 0) % stripes
}

/**
 * Recently read rows, in decoded form. Reading them again needs neither the journal nor a snapshot.
 *
 * Commits are numbered as they start, and one is in flight at a time. The name of a state is the last commit that had
 * settled when the state was read; the state may also contain the commit in flight. Invariant: a row that was read from
 * a state is unchanged up to now if no commit with a higher number than the state touched the row. The commit in flight
 * has a higher number, so it does not matter whether the state contains it.
 */
import { frozen } from '../base/frozen.ts'
import type { CacheTally } from '../observing/cache-tally.ts'
import type { RowChange } from '../ports/index.ts'
import { byteString } from '../bytes/bytes.ts'
import { rowHash } from './row-hash.ts'
import { RowHolders } from './row-holders.ts'
import type { PastAnswer } from './row-reader.ts'

/** In place of a row that is not there. */
export const absentRow: object = Object.freeze({})

/** The number of a commit. */
export type CommitNumber = number

interface HotRow {
  readonly row: object
  /** The state that the row was read from. */
  readonly from: CommitNumber
  readonly cost: number
}

/** An answer about a past state. No commit changes it. */
interface HotAnswer {
  readonly answer: PastAnswer
  readonly cost: number
}

/**
 * Touched rows are recorded per stripe, to bound the memory. A change of one row makes its whole stripe count as
 * touched.
 */
const stripes = 4096
/** Longer rows are rare and seldom read again, so they are not kept. */
const frameBytesMax = 4096
/** So many frames have room at least. */
const framesMin = 64
/** No table has this byte, with which the names of rows begin. */
const ofAnswers = '\u00ff'
/** The size of an entry besides its text, in bytes. */
const entryBytes = 200

export class HotRows {
  /** Processes that keep rows too. */
  readonly holders = new RowHolders()
  readonly #bytesMax: number
  readonly #tally: CacheTally | undefined
  readonly #touched = new Float64Array(stripes)
  #started: CommitNumber = 0
  #settled: CommitNumber = 0
  #forgotten: CommitNumber = 0
  /** Two generations: reading a row moves it to the younger one; the older one is dropped as a whole. */
  #young = new Map<string, HotRow | HotAnswer>()
  #old = new Map<string, HotRow | HotAnswer>()
  #youngBytes = 0

  /** `bytesMax`: the approximate size of the kept rows and keys; 0 keeps nothing. */
  constructor(bytesMax: number, tally?: CacheTally) {
    this.#bytesMax = bytesMax
    this.#tally = tally
  }

  /** The name of the newest state. */
  get settled(): CommitNumber {
    return this.#settled
  }

  /**
   * Call it before the commit becomes visible. If the commit never settles, the rows that it touched are never kept
   * again.
   */
  commitStarts(changes: readonly RowChange[]): CommitNumber {
    const number = ++this.#started
    for (const { key } of changes) this.#touched[stripeOf(key)] = number
    return number
  }

  /** Call it when the whole commit is visible, and before it is acknowledged. */
  commitSettled(number: CommitNumber): void {
    this.#settled = number
  }

  /** For rows of a log that another process owns, which announces its commits: a commit touches rows with these hashes. */
  touch(hashes: readonly number[]): void {
    this.#settled = ++this.#started
    for (const hash of hashes) this.#touched[hash % stripes] = this.#started
  }

  /** Forgets all rows. Call it before and after a rebuild, because any row may change or be missing meanwhile. */
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

  /** Whether a commit may have changed the row since a state. */
  isTouchedSince(key: Uint8Array, state: CommitNumber): boolean {
    return (this.#touched[stripeOf(key)] as number) > state
  }

  /** The row as it is in a state, if it is kept. */
  find(key: Uint8Array, state: CommitNumber): object | undefined {
    const name = byteString(key)
    const young = this.#young.get(name)
    const found = (young ?? this.#old.get(name)) as HotRow | undefined
    const isHit = found !== undefined && !this.isTouchedSince(key, Math.min(found.from, state))
    this.#tally?.count(isHit)
    if (!isHit) return undefined
    if (young === undefined) this.#add(name, found)
    return found.row
  }

  /** Keeps a row that was read from a state, unless it may have changed since. The row is frozen. */
  keep(key: Uint8Array, row: object, frameBytes: number, state: CommitNumber): void {
    if (this.#bytesMax === 0 || frameBytes > frameBytesMax || this.isTouchedSince(key, state)) return
    this.#add(byteString(key), { row: frozen(row), from: state, cost: entryBytes + key.length + frameBytes })
  }

  /** Keeps bytes of a row, which may be longer. Whoever gets them must not change them. */
  keepFrame(key: Uint8Array, frame: Uint8Array, state: CommitNumber): void {
    if (frame.length > this.#bytesMax / framesMin || this.isTouchedSince(key, state)) return
    this.#add(byteString(key), { row: frame, from: state, cost: entryBytes + key.length + frame.length })
  }

  /** The answer to a question about a past state, if it is kept. */
  answer(question: string): PastAnswer | undefined {
    const name = ofAnswers + question
    const young = this.#young.get(name)
    const found = (young ?? this.#old.get(name)) as HotAnswer | undefined
    if (found === undefined) return undefined
    if (young === undefined) this.#add(name, found)
    return found.answer
  }

  /** Keeps an answer, which must be true in every later state too. */
  keepAnswer(question: string, answer: PastAnswer): void {
    if (this.#bytesMax > 0) this.#add(ofAnswers + question, { answer, cost: entryBytes + question.length })
  }

  #add(name: string, entry: HotRow | HotAnswer): void {
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

function stripeOf(key: Uint8Array): number {
  return rowHash(key) % stripes
}

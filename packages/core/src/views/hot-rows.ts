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
import { sameBytes } from '../bytes/bytes.ts'
import { rowHash } from './row-hash.ts'
import { RowHolders } from './row-holders.ts'
import type { PastAnswer } from './row-reader.ts'

/** In place of a row that is not there. */
export const absentRow: object = Object.freeze({})

/** The number of a commit. */
export type CommitNumber = number

interface HotRow {
  readonly key: Uint8Array
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
/** The size of an entry besides its key or text, in bytes. */
const entryBytes = 200

/** What is kept, and how much of it. */
class Generation {
  /** By the hash of the key: texts of keys take longer to make than all else. Of two keys with one hash, the newer is kept. */
  readonly rows = new Map<number, HotRow>()
  /** By the question. */
  readonly answers = new Map<string, HotAnswer>()
  bytes = 0
}

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
  #young = new Generation()
  #old = new Generation()

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
    for (const { key } of changes) this.#touched[rowHash(key) % stripes] = number
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
    this.#young = new Generation()
    this.#old = new Generation()
  }

  isForgottenSince(state: CommitNumber): boolean {
    return this.#forgotten > state
  }

  /** Whether a commit may have changed the row since a state. */
  isTouchedSince(key: Uint8Array, state: CommitNumber): boolean {
    return this.#isTouched(rowHash(key), state)
  }

  /** The row as it is in a state, if it is kept. */
  find(key: Uint8Array, state: CommitNumber): object | undefined {
    const hash = rowHash(key)
    const young = rowIn(this.#young, hash, key)
    const found = young ?? rowIn(this.#old, hash, key)
    const isHit = found !== undefined && !this.#isTouched(hash, Math.min(found.from, state))
    this.#tally?.count(isHit)
    if (!isHit) return undefined
    if (young === undefined) this.#addRow(hash, found)
    return found.row
  }

  /** Keeps a row that was read from a state, unless it may have changed since. The row is frozen. */
  keep(key: Uint8Array, row: object, frameBytes: number, state: CommitNumber): void {
    if (this.#bytesMax === 0 || frameBytes > frameBytesMax) return
    const hash = rowHash(key)
    if (this.#isTouched(hash, state)) return
    this.#addRow(hash, { key, row: frozen(row), from: state, cost: entryBytes + key.length + frameBytes })
  }

  /** Keeps bytes of a row, which may be longer. Whoever gets them must not change them. */
  keepFrame(key: Uint8Array, frame: Uint8Array, state: CommitNumber): void {
    const hash = rowHash(key)
    if (frame.length > this.#bytesMax / framesMin || this.#isTouched(hash, state)) return
    this.#addRow(hash, { key, row: frame, from: state, cost: entryBytes + key.length + frame.length })
  }

  /** The answer to a question about a past state, if it is kept. */
  answer(question: string): PastAnswer | undefined {
    const young = this.#young.answers.get(question)
    const found = young ?? this.#old.answers.get(question)
    if (found !== undefined && young === undefined) this.#addAnswer(question, found)
    return found?.answer
  }

  /** Keeps an answer, which must be true in every later state too. */
  keepAnswer(question: string, answer: PastAnswer): void {
    if (this.#bytesMax > 0) this.#addAnswer(question, { answer, cost: entryBytes + question.length })
  }

  #isTouched(hash: number, state: CommitNumber): boolean {
    return (this.#touched[hash % stripes] as number) > state
  }

  #addRow(hash: number, entry: HotRow): void {
    const { rows } = this.#roomFor(entry.cost)
    this.#young.bytes += entry.cost - (rows.get(hash | 0)?.cost ?? 0)
    rows.set(hash | 0, entry)
  }

  #addAnswer(question: string, entry: HotAnswer): void {
    const { answers } = this.#roomFor(entry.cost)
    this.#young.bytes += entry.cost - (answers.get(question)?.cost ?? 0)
    answers.set(question, entry)
  }

  #roomFor(cost: number): Generation {
    if (this.#young.bytes + cost > this.#bytesMax / 2) {
      this.#old = this.#young
      this.#young = new Generation()
    }
    return this.#young
  }
}

/** Signed hashes are small integers for V8, which maps find fastest. */
function rowIn({ rows }: Generation, hash: number, key: Uint8Array): HotRow | undefined {
  const found = rows.get(hash | 0)
  return found !== undefined && sameBytes(found.key, key) ? found : undefined
}

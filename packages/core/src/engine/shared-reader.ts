/**
 * One state of the rows of a shared journal, for one read or one attempt to commit. Hot rows come from memory, others from the newest
 * state, which each answer names by its head row. If an answer shows another state than the one before, all rows that were read are
 * compared: the reader goes on in the newer state if they are the same, and has moved if not.
 */
import type { Soon } from '../base/soon.ts'
import { byteString, sameBytes } from '../bytes/bytes.ts'
import type { RowCursor, RowRange, RowSnapshot, Seq } from '../ports/index.ts'
import { absentRow, type CommitNumber, type HotRows } from '../views/hot-rows.ts'
import { lateCursor } from '../views/late-cursor.ts'
import type { DecodedReader, PastAnswer, PastAnswers } from '../views/row-reader.ts'
import { headKey, isMostlyAbsent } from '../views/tables.ts'
import type { NewestAnswer, NewestRows } from './newest-rows.ts'

type Frame = Uint8Array | undefined

/** A state that the reader may use. */
export interface AcceptedState {
  readonly seq: Seq
  /** The state of hot rows that are not newer than it. */
  readonly hot: CommitNumber
}

export interface SharedReaderOptions {
  readonly newest: NewestRows
  readonly hot: HotRows
  snapshot(): Soon<RowSnapshot>
  /** Resolves when this engine knows the log up to the state with this head row; `undefined` if no reader may use it. */
  accept(head: Frame, settled: CommitNumber): Soon<AcceptedState | undefined>
  /** Called with the number of rows that each read requests. */
  spend?(rows: number): void
  /** Keys that will probably be read: the first question asks for them too. */
  readonly expected?: readonly Uint8Array[]
  /** A commit expects the first state: rows need no comparison, because the reader cannot go on in another one. */
  readonly isFixed?: boolean
}

/** After so many rows, a snapshot costs less than comparing them with each answer. */
const comparedMax = 32

/** Rows of two states were read, or of one that must not be used: all of them are discarded, and the work is done again. */
export class StateMoved extends Error {
  constructor() {
    super('The state of the rows has changed.')
  }
}

export class SharedReader implements DecodedReader, PastAnswers {
  readonly #options: SharedReaderOptions
  #state: CommitNumber
  #accepted: AcceptedState | undefined
  #head: Frame
  #hasMoved = false
  /** Keys of hot rows that were returned, and the state in which all of them are valid. */
  #given: Uint8Array[] = []
  #since: CommitNumber
  /** Rows of the accepted state, in the order in which they were read. */
  readonly #read = new Map<string, readonly [key: Uint8Array, frame: Frame]>()
  #expected: readonly Uint8Array[]
  #pinned: Promise<RowSnapshot> | undefined

  constructor(options: SharedReaderOptions) {
    this.#options = options
    this.#state = this.#since = options.hot.settled
    this.#expected = options.expected ?? []
  }

  /** True if what was read must be discarded. */
  get hasMoved(): boolean {
    return this.#hasMoved
  }

  /** The keys that were read from the journal. */
  get keys(): readonly Uint8Array[] {
    return Array.from(this.#read.values(), ([key]) => key)
  }

  get answers(): PastAnswers {
    return this
  }

  answer(question: string): PastAnswer | undefined {
    return this.#options.hot.answer(question)
  }

  /** Rows of two states may have led to a wrong answer. */
  keepAnswer(question: string, answer: PastAnswer): void {
    if (!this.#hasMoved && this.#accepted !== undefined) this.#options.hot.keepAnswer(question, answer)
  }

  row<R>(key: Uint8Array, decode: (frame: Uint8Array) => R): Soon<R | undefined> {
    const { hot } = this.#options
    this.#options.spend?.(1)
    const found = hot.find(key, this.#state)
    if (found !== undefined) {
      this.#given.push(key)
      return found === absentRow ? undefined : (found as R)
    }
    return this.#frames([key]).then(([frame]) => {
      if (frame === undefined) {
        if (isMostlyAbsent(key)) hot.keep(key, absentRow, 0, this.#state)
        return undefined
      }
      const row = decode(frame)
      hot.keep(key, row as object, frame.length, this.#state)
      return row
    })
  }

  async get(key: Uint8Array): Promise<Frame> {
    this.#options.spend?.(1)
    return (await this.#frames([key]))[0]
  }

  getMany(keys: readonly Uint8Array[]): Promise<readonly Frame[]> {
    this.#options.spend?.(keys.length)
    return this.#frames(keys)
  }

  cursor(range: RowRange): RowCursor {
    const cursor = lateCursor(this.#pin(), range)
    return {
      next: (count) => {
        this.#options.spend?.(count)
        return cursor.next(count)
      },
      seek: (key) => cursor.seek(key),
      close: () => cursor.close(),
    }
  }

  /** Resolves when the state was the newest one at a moment after this reader began. @throws StateMoved */
  async confirm(): Promise<void> {
    if (this.#accepted === undefined) await this.#ask([])
  }

  async close(): Promise<void> {
    const snapshot = await this.#pinned?.catch(() => undefined)
    await snapshot?.close()
  }

  async #frames(keys: readonly Uint8Array[]): Promise<readonly Frame[]> {
    const names = keys.map(byteString)
    const missing = keys.filter((_, i) => !this.#read.has(names[i] as string))
    if (missing.length > 0) await this.#ask(missing)
    return names.map((name) => this.#read.get(name)?.[1])
  }

  async #ask(keys: readonly Uint8Array[]): Promise<void> {
    if (this.#hasMoved) throw new StateMoved()
    const { newest, hot, isFixed = false } = this.#options
    const isLong = !isFixed && this.#read.size + keys.length > comparedMax
    if (isLong || this.#pinned !== undefined) return this.#note(keys, await (await this.#pin()).getMany(keys))
    const expected = this.#expected.filter((key) => !keys.some((other) => sameBytes(key, other)))
    this.#expected = []
    const wanted = [...keys, ...expected]
    const known = isFixed ? [] : [...this.#read.values()]
    const settled = hot.settled
    const answer = await newest.ask([...known.map(([key]) => key), ...wanted])
    await this.#settle(answer, known, settled)
    this.#note(wanted, answer.frames.slice(known.length))
  }

  /** Everything from now on is read from one snapshot. */
  #pin(): Promise<RowSnapshot> {
    if (this.#pinned === undefined) {
      this.#pinned = this.#take()
      // If the cursor is never read, no caller handles the error.
      this.#pinned.catch(() => undefined)
    }
    return this.#pinned
  }

  async #take(): Promise<RowSnapshot> {
    const settled = this.#options.hot.settled
    const snapshot = await this.#options.snapshot()
    try {
      const known = [...this.#read.values()]
      const [head, ...frames] = await snapshot.getMany([headKey.bytes, ...known.map(([key]) => key)])
      await this.#settle({ head, frames }, known, settled)
      return snapshot
    } catch (error) {
      await snapshot.close()
      throw error
    }
  }

  #note(keys: readonly Uint8Array[], frames: readonly Frame[]): void {
    for (const [i, key] of keys.entries()) this.#read.set(byteString(key), [key, frames[i]])
  }

  /** Goes on in the state of an answer, which also has all rows that were read when its question was sent. */
  async #settle(
    { head, frames }: NewestAnswer,
    known: readonly (readonly [key: Uint8Array, frame: Frame])[],
    settled: CommitNumber,
  ): Promise<void> {
    if (this.#accepted !== undefined && isSame(head, this.#head)) return
    const isOther = this.#accepted !== undefined && this.#options.isFixed === true
    const accepted = isOther ? undefined : await this.#options.accept(head, settled)
    if (accepted === undefined || !this.#isSameState(accepted, known, frames)) {
      this.#hasMoved = true
      throw new StateMoved()
    }
    this.#accepted = accepted
    this.#head = head
    this.#state = this.#since = accepted.hot
  }

  #isSameState(
    { seq }: AcceptedState,
    known: readonly (readonly [key: Uint8Array, frame: Frame])[],
    frames: readonly Frame[],
  ): boolean {
    const { hot } = this.#options
    return (
      (this.#accepted === undefined || this.#accepted.seq <= seq) &&
      this.#read.size === known.length &&
      known.every(([, frame], i) => isSame(frame, frames[i])) &&
      !this.#given.some((key) => hot.isTouchedSince(key, this.#since))
    )
  }
}

const isSame = (a: Frame, b: Frame): boolean => (a === undefined || b === undefined ? a === b : sameBytes(a, b))

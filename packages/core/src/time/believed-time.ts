/**
 * The time that the store believes. It passes by the monotonic clock while the store runs. Time that only the wall
 * clock shows, after the store was closed or the machine slept, is believed after a day of running, or when a user
 * confirms it.
 */
import type { ObservedTime, Seq, TimeDoubt, TimeGap, TimeMark } from '../ports/index.ts'

const minuteMs = 60_000
export const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
/** The maximum time of one gap that counts for the end of locks without a confirmation. */
const lockDays = 30 * dayMs
/** The shortest retention is divided into this many parts; marks within one part are merged. */
const parts = 64
const marksMax = 256

export class BelievedTime {
  #believed: number
  #locks: number
  #ran: number
  #opened: Seq
  #doubt: TimeDoubt | undefined
  #gaps: TimeGap[]
  #marks: TimeMark[]
  /** How long the store had run when the wall clock fell behind the believed time. */
  #behindSince: number | undefined

  constructor(observed: ObservedTime) {
    this.#believed = observed.believed
    this.#locks = observed.locks
    this.#ran = observed.ran
    this.#opened = observed.opened
    this.#doubt = observed.doubt
    this.#gaps = [...observed.gaps]
    this.#marks = [...observed.marks]
  }

  get now(): number {
    return this.#believed
  }

  /** The time that decides whether locks have ended, without a confirmation. */
  get locks(): number {
    return this.#locks + Math.min(lockDays, this.waiting)
  }

  /** Time that only the wall clock shows as passed, and that is not believed yet. */
  get waiting(): number {
    return this.#gaps.reduce((total, { ms }) => total + ms, 0)
  }

  get observed(): ObservedTime {
    return {
      believed: this.#believed,
      locks: this.#locks,
      ran: this.#ran,
      opened: this.#opened,
      ...(this.#doubt && { doubt: this.#doubt }),
      gaps: [...this.#gaps],
      marks: [...this.#marks],
    }
  }

  /** Adds time that passed while the store ran. `wall`: the current wall time. */
  pass(ms: number, wall: number): void {
    this.#believed += ms
    this.#locks += ms
    this.#ran += ms
    this.#forgetLostTime(wall)
    this.#followBack(wall)
    if (this.#doubt?.ran !== undefined && this.#ran - this.#doubt.ran >= dayMs) this.#doubt = undefined
    while (this.#gaps[0] !== undefined && this.#ran - this.#gaps[0].ran >= dayMs) {
      const [gap] = this.#gaps.splice(0, 1) as [TimeGap]
      this.#believe(gap, lockDays)
    }
  }

  /**
   * Called when the store is opened, with the end `seq` of its log. The time since then by the wall clock was not
   * observed. It does not count for the age of events of the previous opening: if the wall clock was behind then, part
   * of it had passed before them.
   */
  open(wall: number, seq: Seq): void {
    const before = this.#opened
    const ms = wall - this.#believed - this.waiting
    this.miss(ms, Math.min(before, this.#doubt?.seq ?? seq, seq))
    this.#opened = seq
    if (ms < -minuteMs) this.doubt(before)
    else if (this.#doubt !== undefined) this.#doubt = { ran: this.#ran, ...this.#doubt }
  }

  /**
   * Called if the wall clock was wrong, before or now. Time it still has to catch up may have passed after event `seq`.
   */
  doubt(seq: Seq = this.#opened): void {
    this.#doubt = { seq: Math.min(this.#doubt?.seq ?? seq, seq) }
  }

  /** Adds time that passed unobserved after event `seq`. */
  miss(ms: number, seq: Seq): void {
    if (ms <= 0) return
    const last = this.#gaps.at(-1)
    if (last === undefined || this.#ran - last.from >= hourMs) {
      this.#gaps.push({ seq, ran: this.#ran, from: this.#ran, ms })
      return
    }
    // Gaps within an hour are merged, to limit their number.
    this.#gaps[this.#gaps.length - 1] = { ...last, seq: Math.min(seq, last.seq), ran: this.#ran, ms: last.ms + ms }
  }

  /** Called when a user confirmed the wall clock. */
  accept(wall: number): void {
    for (const gap of this.#gaps.splice(0)) this.#believe(gap, Number.POSITIVE_INFINITY)
    const rest = wall - this.#believed
    if (rest > 0) this.#believe({ seq: this.#opened, ms: rest }, Number.POSITIVE_INFINITY)
    else this.#shift(rest)
    this.#locks = wall
    this.#doubt = undefined
    this.#behindSince = undefined
  }

  /** Records that every event up to `seq` is written by now, for a store with these retentions. */
  mark(seq: Seq, { shortest, longest }: { readonly shortest: number; readonly longest: number }): void {
    if (longest === 0) return
    const at = this.#believed
    const last = this.#marks.at(-1)
    if (last !== undefined && seq <= last.seq) return
    // A mark must not contain events from both sides of a gap.
    const isDivided = last === undefined || last.log !== undefined || this.#divides(last.seq)
    if (!isDivided && at - last.from < shortest / parts)
      this.#marks[this.#marks.length - 1] = { seq, from: last.from, at }
    else this.#marks.push({ seq, from: at, at })
    this.#thin(longest)
  }

  /** Whether the bytes that event `seq`, recorded at `time`, freed were freed at least `retentionMs` ago. */
  isPast(retentionMs: number, seq: Seq, time: number): boolean {
    if (retentionMs === 0) return true
    const mark = this.#marks.find((each) => each.seq >= seq)
    if (mark === undefined) return false
    const before = mark.log === undefined ? 0 : Math.max(0, mark.log - time)
    return this.#believed - mark.at + before >= retentionMs
  }

  /** If the wall clock went back, that much less unobserved time has passed. */
  #forgetLostTime(wall: number): void {
    let excess = this.#believed + this.waiting - wall
    while (excess > 0 && this.#gaps.length > 0) {
      const last = this.#gaps.pop() as TimeGap
      this.doubt(last.seq)
      if (last.ms > excess) this.#gaps.push({ ...last, ms: last.ms - excess })
      excess -= last.ms
    }
  }

  /** A wall clock that is behind the believed time during a whole day of running is taken to be right. */
  #followBack(wall: number): void {
    if (wall > this.#believed - hourMs) {
      this.#behindSince = undefined
      return
    }
    this.#behindSince ??= this.#ran
    if (this.#ran - this.#behindSince < dayMs) return
    this.#shift(wall - this.#believed)
    this.#locks = Math.min(this.#locks, wall)
    this.#behindSince = undefined
  }

  /** Believes a gap. It does not count for the age of events after it, so their marks move. */
  #believe({ seq, ms }: Pick<TimeGap, 'seq' | 'ms'>, lockMax: number): void {
    this.#believed += ms
    this.#locks += Math.min(ms, lockMax)
    this.#moveMarks(ms, seq)
  }

  /** Changes the time without changing the age of events. */
  #shift(ms: number): void {
    this.#believed += ms
    this.#moveMarks(ms, -1)
  }

  #moveMarks(ms: number, after: Seq): void {
    this.#marks = this.#marks.map((mark) =>
      mark.seq > after ? { ...mark, from: mark.from + ms, at: mark.at + ms } : mark,
    )
  }

  #divides(seq: Seq): boolean {
    return seq === this.#opened || this.#gaps.some((gap) => gap.seq === seq)
  }

  /** Only the newest of the marks that are older than the retention matters. */
  #thin(longest: number): void {
    let old = 0
    while (this.#marks[old + 1] !== undefined && this.#isOld(this.#marks[old + 1] as TimeMark, longest)) old++
    this.#marks.splice(0, old)
    if (this.#marks.length > marksMax)
      this.#marks = this.#marks.filter((_, i) => i % 2 === 1 || i === this.#marks.length - 1)
  }

  #isOld({ at, log }: TimeMark, retentionMs: number): boolean {
    return log === undefined && this.#believed - at >= retentionMs
  }
}

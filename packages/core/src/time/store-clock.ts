/**
 * The time of a store. Events get the time of the wall clock, at most an hour ahead of the time that passed since the
 * store was opened. Irreversible actions, such as erasure, use the believed time: see `believed-time.ts`.
 */
import type { Clock, Journal, ObservedTime, Seq, TimeRecord } from '../ports/index.ts'
import { BelievedTime, hourMs } from './believed-time.ts'

/** How far the wall clock may be ahead of the monotonic clock. */
const toleranceMs = hourMs
/** If time is observed regularly, a gap of this length means that the machine slept. */
const silenceMs = 10 * 60_000
/** The interval for writing the observed time. */
const recordEveryMs = 10 * 60_000

/** How far the store trusts the wall clock, and which time it does not believe yet. */
export interface ClockStatus {
  /**
   * `ahead`: the wall clock jumped ahead while the store was open, and needs `accept`. `waiting`: time passed while the
   * store was closed or the machine slept, and actions that became due meanwhile wait. `plausible`: neither.
   */
  readonly state: 'plausible' | 'waiting' | 'ahead'
  /** The time of the wall clock. */
  readonly wall: Date
  /** The time that an event would get now. */
  readonly log: Date
  /** The time that decides about erasure and expiration. */
  readonly believed: Date
  /** How far the wall clock is ahead of the time since the opening; 0 within an hour. Milliseconds. */
  readonly aheadMs: number
  /** Time that only the wall clock shows as passed, and that is not believed yet. Milliseconds. */
  readonly waitingMs: number
}

/** The public methods of the store's clock. */
export interface StoreTime {
  status(): ClockStatus
  /** Reads both clocks. The store only knows the time that passes between two calls. Commits observe too. */
  observe(): void
  /**
   * Confirms that the wall clock is right: its time is believed at once, also for erasure and the end of locks. This
   * cannot be undone.
   * @throws StorageError `JournalFailed`, `NoSpace` when the confirmation cannot be stored
   */
  accept(): Promise<ClockStatus>
}

/** The retentions whose ages are measured, in milliseconds; 0 if no retention is longer than that. */
export interface MeasuredAges {
  readonly shortest: number
  readonly longest: number
}

export interface StoreClockOptions {
  readonly retention: MeasuredAges
  /** The caller calls `observe` every minute, so a long gap means that the machine slept. */
  readonly isObserved: boolean
  /** True for the owner: observed time is stored. Maintenance stores only confirmations. */
  readonly keeps: boolean
}

/** The end of the log. */
interface End {
  readonly seq: Seq
  readonly at: number
}

export class StoreClock {
  readonly #clock: Clock
  readonly #record: TimeRecord | undefined
  readonly #options: StoreClockOptions
  #ages: MeasuredAges
  readonly #time: BelievedTime
  /** Wall and monotonic time when the store was opened, or when the clock was last confirmed. */
  #base: { readonly wall: number; readonly monotonic: number }
  #observedAt: number
  #recordedAt: number
  #committed: Seq
  #writing: Promise<void> = Promise.resolve()

  private constructor(
    { clock, time }: { readonly clock: Clock; readonly time?: TimeRecord },
    options: StoreClockOptions,
    believed: BelievedTime,
    end: End,
  ) {
    const [wall, monotonic] = [clock.now(), clock.monotonic()]
    this.#clock = clock
    this.#record = time
    this.#options = options
    this.#ages = options.retention
    this.#time = believed
    this.#base = { wall, monotonic }
    this.#observedAt = monotonic
    this.#recordedAt = Number.NEGATIVE_INFINITY
    this.#committed = end.seq
    believed.mark(end.seq, this.#ages)
    believed.open(wall, end.seq)
  }

  static async open(
    ports: { readonly clock: Clock; readonly time?: TimeRecord; readonly journal?: Pick<Journal, 'now'> },
    options: StoreClockOptions,
    end: End,
  ): Promise<StoreClock> {
    const observed = (await ports.time?.read()) ?? firstObserved(await earliestNow(ports), end)
    // Drop marks of another log: this log does not have their positions.
    const marks = observed.marks.filter(({ seq }) => seq <= end.seq)
    return new StoreClock(ports, options, new BelievedTime({ ...observed, marks }), end)
  }

  /** The time of an event that follows an event of time `after`. */
  logTime(after: number): number {
    const { wall, monotonic } = this.#base
    const latest = wall + this.#clock.monotonic() - monotonic + toleranceMs
    return Math.max(after, Math.floor(Math.min(this.#clock.now(), latest)), Math.floor(this.#time.now - toleranceMs))
  }

  /** The time that decides whether objects expire. */
  get due(): number {
    this.observe()
    return Math.min(this.#time.now, this.#clock.now())
  }

  /** The time that decides whether locks have ended, for an event at `at`. */
  locksAt(at: number): number {
    this.observe()
    return Math.min(at, this.#clock.now(), this.#time.locks)
  }

  /** Whether the wall clock has reached this time. */
  isPastOrPresent(time: number): boolean {
    return time <= this.#clock.now()
  }

  /** The retentions that count from now on. */
  keep(ages: MeasuredAges): void {
    this.#ages = ages
  }

  /** Whether a retention is over for bytes that event `seq`, recorded at `time`, freed. */
  isPastRetention(keepMs: number, seq: Seq, time: number): boolean {
    return this.#time.isPast(keepMs, seq, time)
  }

  /** Reads both clocks. Call it about every minute, with the end of the log if that has changed. */
  observe(committed: Seq = this.#committed): void {
    const [wall, monotonic] = [this.#clock.now(), this.#clock.monotonic()]
    const passed = Math.max(0, monotonic - this.#observedAt)
    this.#observedAt = monotonic
    if (this.#options.isObserved && passed > silenceMs) {
      // Events before the gap age by it, but may have no mark yet.
      this.#time.mark(this.#committed, this.#ages)
      this.#time.miss(passed, this.#committed)
    } else this.#time.pass(passed, wall)
    if (this.#ahead(wall) > 0) this.#time.doubt()
    this.#committed = committed
    this.#time.mark(committed, this.#ages)
    if (monotonic - this.#recordedAt >= recordEveryMs) void this.#keep().catch(() => undefined)
  }

  status(after: number): ClockStatus {
    this.observe()
    const wall = this.#clock.now()
    const [aheadMs, waitingMs] = [this.#ahead(wall), this.#time.waiting]
    return {
      state: aheadMs > 0 ? 'ahead' : waitingMs > hourMs ? 'waiting' : 'plausible',
      wall: new Date(wall),
      log: new Date(this.logTime(after)),
      believed: new Date(Math.floor(this.#time.now)),
      aheadMs,
      waitingMs,
    }
  }

  async accept(): Promise<void> {
    this.observe()
    const [wall, monotonic] = [this.#clock.now(), this.#clock.monotonic()]
    this.#time.accept(wall)
    this.#base = { wall, monotonic }
    await this.#write()
  }

  /** Stores the observed time for the next opening. */
  async close(): Promise<void> {
    this.observe()
    await this.#keep().catch(() => undefined)
  }

  #ahead(wall: number): number {
    const ahead = wall - (this.#base.wall + this.#clock.monotonic() - this.#base.monotonic)
    return ahead > toleranceMs ? ahead : 0
  }

  async #keep(): Promise<void> {
    if (!this.#options.keeps) return
    this.#recordedAt = this.#clock.monotonic()
    await this.#write()
  }

  #write(): Promise<void> {
    const writing = this.#writing.then(() => this.#record?.write(this.#time.observed))
    this.#writing = writing.then(
      () => undefined,
      () => undefined,
    )
    return writing.then(() => undefined)
  }
}

/** By the clock of this machine, or by that of the journal if it shows less: the clock of a machine that shares a journal may be wrong. */
async function earliestNow({ clock, journal }: { readonly clock: Clock; readonly journal?: Pick<Journal, 'now'> }) {
  return Math.min(clock.now(), (await journal?.now?.()) ?? Number.POSITIVE_INFINITY)
}

/** For a log without a time record: the time of its last event, but not later than now. */
function firstObserved(now: number, end: End): ObservedTime {
  const believed = end.seq === 0 ? now : Math.min(end.at, now)
  const marks = end.seq === 0 ? [] : [{ seq: end.seq, from: believed, at: believed, log: believed }]
  return { believed, locks: believed, ran: 0, opened: end.seq, gaps: [], marks }
}

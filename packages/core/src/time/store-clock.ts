/**
 * The time of a store. What is written gets the wall clock's time, which may go ahead of what has passed since the store was opened by
 * an hour and no more. What cannot be undone goes by time that is believed: see `believed-time.ts`.
 */
import type { Clock, ObservedTime, Seq, TimeRecord } from '../ports/index.ts'
import { BelievedTime, hourMs } from './believed-time.ts'

/** How far the wall clock may go ahead of the monotonic one. */
const toleranceMs = hourMs
/** Silence this long, where time is observed regularly, is sleep. */
const silenceMs = 10 * 60_000
/** Between two writes of what was observed. */
const recordEveryMs = 10 * 60_000

/** How far the store trusts the wall clock, and what it waits for. */
export interface ClockStatus {
  /**
   * `ahead`: the wall clock jumped ahead while the store was open, and waits for `accept`. `waiting`: time passed while the store was
   * closed or the machine asleep, and what fell due meanwhile waits. `plausible`: neither.
   */
  readonly state: 'plausible' | 'waiting' | 'ahead'
  /** What the wall clock shows. */
  readonly wall: Date
  /** The time that what is written now would get. */
  readonly log: Date
  /** The time by which is erased and expires. */
  readonly believed: Date
  /** How far the wall clock is ahead of what has passed since the store was opened; 0 within an hour. Milliseconds. */
  readonly aheadMs: number
  /** Time that passed unobserved by the wall clock, and is not believed yet. Milliseconds. */
  readonly waitingMs: number
}

/** What a store lets others see of its time. */
export interface StoreTime {
  status(): ClockStatus
  /** Takes note of how the clocks stand: what passes between two calls is what the store knows of time. Commits do that too. */
  observe(): void
  /**
   * Confirms that the wall clock is right: its time is believed at once, erasing and the end of locks included. It cannot be taken
   * back.
   * @throws StorageError `JournalFailed`, `NoSpace` when that cannot be kept
   */
  accept(): Promise<ClockStatus>
}

export interface StoreClockOptions {
  readonly retentionMs: number
  /** The caller calls `observe` every minute, so that a long silence means sleep. */
  readonly isObserved: boolean
  /** The owner's: what passes is kept. Maintenance keeps confirmations alone. */
  readonly keeps: boolean
}

/** Where the log ends. */
interface End {
  readonly seq: Seq
  readonly at: number
}

export class StoreClock {
  readonly #clock: Clock
  readonly #record: TimeRecord | undefined
  readonly #options: StoreClockOptions
  readonly #time: BelievedTime
  /** Wall and monotonic time when the store was opened, or the clock confirmed. */
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
    this.#time = believed
    this.#base = { wall, monotonic }
    this.#observedAt = monotonic
    this.#recordedAt = Number.NEGATIVE_INFINITY
    this.#committed = end.seq
    believed.mark(end.seq, options.retentionMs)
    believed.open(wall, end.seq)
  }

  static async open(
    ports: { readonly clock: Clock; readonly time?: TimeRecord },
    options: StoreClockOptions,
    end: End,
  ): Promise<StoreClock> {
    const recorded = await ports.time?.read()
    const observed = recorded === undefined ? firstObserved(ports.clock.now(), end) : recorded
    // Marks of another log mean nothing for this one.
    const marks = observed.marks.filter(({ seq }) => seq <= end.seq)
    return new StoreClock(ports, options, new BelievedTime({ ...observed, marks }), end)
  }

  /** The time of what is written behind an event of time `after`. */
  logTime(after: number): number {
    const { wall, monotonic } = this.#base
    const latest = wall + this.#clock.monotonic() - monotonic + toleranceMs
    return Math.max(after, Math.floor(Math.min(this.#clock.now(), latest)), Math.floor(this.#time.now - toleranceMs))
  }

  /** The time by which objects expire. */
  get due(): number {
    this.observe()
    return Math.min(this.#time.now, this.#clock.now())
  }

  /** The time by which locks end, for what is written at `at`. */
  locksAt(at: number): number {
    this.observe()
    return Math.min(at, this.#clock.now(), this.#time.locks)
  }

  /** Whether the wall clock has reached this time. */
  isPastOrPresent(time: number): boolean {
    return time <= this.#clock.now()
  }

  /** Whether the retention of what event `seq` freed, at `time`, is over. */
  isPastRetention(seq: Seq, time: number): boolean {
    return this.#time.isPast(this.#options.retentionMs, seq, time)
  }

  /** Takes note of how the clocks stand; to be called every minute or so, with the end of the log when it has moved. */
  observe(committed: Seq = this.#committed): void {
    const [wall, monotonic] = [this.#clock.now(), this.#clock.monotonic()]
    const passed = Math.max(0, monotonic - this.#observedAt)
    this.#observedAt = monotonic
    if (this.#options.isObserved && passed > silenceMs) {
      // The events before it age by it; they may have no mark yet.
      this.#time.mark(this.#committed, this.#options.retentionMs)
      this.#time.miss(passed, this.#committed)
    } else this.#time.pass(passed, wall)
    if (this.#ahead(wall) > 0) this.#time.doubt()
    this.#committed = committed
    this.#time.mark(committed, this.#options.retentionMs)
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

  /** Keeps what was observed, for the next opening. */
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

/** Of a log that no record came with: its own times, as far as they are no later than now. */
function firstObserved(wall: number, end: End): ObservedTime {
  const believed = end.seq === 0 ? wall : Math.min(end.at, wall)
  const marks = end.seq === 0 ? [] : [{ seq: end.seq, from: believed, at: believed, log: believed }]
  return { believed, locks: believed, ran: 0, opened: end.seq, gaps: [], marks }
}

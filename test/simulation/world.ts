/**
 * The only source of order and time. Every effect on the simulated machine waits here for a time that the seed
 * determines. When no program can continue, the effect that is due first happens. So one seed is one history, and
 * between any two effects the machine can be inspected, copied and crashed.
 */
import type { Random } from '../support/random.ts'

export type Errno = 'EIO' | 'ENOSPC' | 'EMFILE' | 'EROFS'

/** One effect that fails, by its number; and, if for ever, every later one of the same operation. */
export interface Fault {
  readonly at: number
  /** What is expected to happen there. A run that does something else is not the run that the fault was planned in. */
  readonly operation?: string
  readonly errno: Errno
  readonly forever: boolean
}

/** What a machine does: an operation, such as `fsync` or `append`, and what it is done to. */
export interface Label {
  readonly operation: string
  readonly subject: string
}

/** Where effects happen: in a `World` by chance, or, for a machine that is only looked at, at once. */
export interface Effects {
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly random: Random
  /** `happen` changes the machine and returns the answer. `onFault` determines what a failing effect leaves behind. */
  effect<T>(label: Label, happen: () => T, onFault?: () => void): Promise<T>
}

/** Nothing waits and nothing fails. */
export const atOnce = (random: Random, now: number): Effects => ({
  now,
  random,
  effect: (_label, happen) => atOnceDone(happen),
})

interface Parked extends Label {
  /** When it happens, in simulated milliseconds. */
  readonly due: number
  happen(fault: Errno | undefined): void
}

export interface WorldOptions {
  /** When it begins, in milliseconds since the epoch. */
  readonly now: number
  readonly random: Random
  readonly fault?: Fault | undefined
  /** Stop for good before this effect. @default never */
  readonly until?: number | undefined
  /** Called when all programs rest, before effect number `step` happens. */
  readonly onRest?: ((step: number) => Promise<void> | void) | undefined
}

/** Calls that the system answers from memory are quick. Calls that need the disk are not. */
const quick: ReadonlySet<string> = new Set(['open', 'close', 'stat', 'fstat', 'statfs', 'readdir', 'get'])
const quickShare = 0.02
/** People, and what stands in for them, take their time. */
const noticeShare = 20

/**
 * How long an effect takes: from one millisecond to a quarter of a second, all orders of magnitude alike, and now and
 * then far longer. What is slow may be overtaken by hundreds of other effects: that is where bugs hide.
 */
function latency(operation: string, random: Random, stalls: number): number {
  const usual = 2 ** (random.next() * 8) * (random.chance(stalls) ? 30 : 1)
  if (operation === 'notice') return usual * noticeShare
  return quick.has(operation) ? usual * quickShare : usual
}

export class World implements Effects {
  readonly random: Random
  readonly trace: string[] = []
  #started = false
  /** Milliseconds since the epoch. */
  now: number
  #parked: Parked[] = []
  readonly #options: WorldOptions
  /** How often an effect takes thirty times as long as others: runs differ in that too. */
  readonly #stalls: number
  #failing: string | undefined
  #faulted = false

  constructor(options: WorldOptions) {
    this.#options = options
    this.random = options.random
    this.now = options.now
    this.#stalls = options.random.pick([0.01, 0.03, 0.1])
  }

  get step(): number {
    return this.trace.length
  }

  /** A fault for another run of the same seed: effect `at` of this run fails there. */
  plan(at: number, errno: Errno, forever: boolean): Fault {
    const [operation = ''] = (this.trace[at] ?? '').split(' ')
    return { at, operation, errno, forever }
  }

  /** What the planned fault struck, once it has. */
  get faultedOperation(): string | undefined {
    const { fault } = this.#options
    return this.#faulted && fault !== undefined ? this.trace[fault.at]?.split(' ')[0] : undefined
  }

  /** True once the planned fault has struck. */
  get faulted(): boolean {
    return this.#faulted
  }

  effect<T>(label: Label, happen: () => T, onFault?: () => void): Promise<T> {
    if (!this.#started) return atOnceDone(happen)
    return new Promise<T>((resolve, reject) => {
      this.#parked.push({
        ...label,
        due: this.now + latency(label.operation, this.random, this.#stalls),
        happen(errno) {
          if (errno !== undefined) onFault?.()
          try {
            if (errno === undefined) resolve(happen())
            else reject(systemError(errno))
          } catch (error) {
            reject(error as Error)
          }
        },
      })
    })
  }

  /** From now on effects wait; before, they happen at once: that is for what a run begins with. */
  start(): void {
    this.#started = true
  }

  /** Resolves when everything that was begun has come to an end, or waits. */
  rest(): Promise<void> {
    return atRest()
  }

  /** Lets effects happen, one at a time, until nothing is parked and nothing stirs. */
  async run(): Promise<void> {
    this.start()
    for (;;) {
      await atRest()
      if (this.#parked.length === 0 || this.step === this.#options.until) return
      await this.#options.onRest?.(this.step)
      const next = this.#takeFirst()
      this.now = next.due
      const fault = this.#faultFor(next.operation)
      this.trace.push(`${next.operation} ${next.subject}`)
      next.happen(fault)
    }
  }

  #takeFirst(): Parked {
    const first = this.#parked.reduce((a, b) => (b.due < a.due ? b : a))
    this.#parked = this.#parked.filter((parked) => parked !== first)
    return first
  }

  #faultFor(operation: string): Errno | undefined {
    const { fault } = this.#options
    if (fault === undefined) return undefined
    if (this.step === fault.at) {
      if (fault.operation !== undefined && fault.operation !== operation) {
        throw new Error(`Effect ${fault.at} is ${operation}, not ${fault.operation}: a seed gave two different runs.`)
      }
      this.#faulted = true
      if (fault.forever) this.#failing = operation
      return fault.errno
    }
    return this.#failing === operation ? fault.errno : undefined
  }
}

function atOnceDone<T>(happen: () => T): Promise<T> {
  try {
    return Promise.resolve(happen())
  } catch (error) {
    return Promise.reject(error as Error)
  }
}

/** Promise jobs run before anything else, so when the loop comes round again every program waits for an effect. */
const atRest = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export const systemError = (code: string): Error => Object.assign(new Error(`${code}: simulated`), { code })

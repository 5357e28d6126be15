/**
 * Fetches bytes before they are requested, for a reader that requests one range after another: one request brings the rest of
 * a part. What cannot be fetched so is read in the usual way.
 */
import type { ByteRange } from '@varve/core'
import type { Turns } from '../system/turns.ts'

/** How long fetched bytes stay in memory without a read, in milliseconds. */
const idleMs = 10_000

/** Fills `into` with the bytes from `start` on, and reports how many are there. */
export type FetchAhead = (
  range: { readonly into: Uint8Array; readonly start: number },
  onFilled: (bytes: number) => void,
  signal: AbortSignal,
) => Promise<void>

export interface ReadAheadOptions {
  /** The size of the blob. */
  readonly size: number
  readonly partBytes: number
  /** The places for parts that are fetched ahead, of all readers. */
  readonly places: Turns
  readonly fetch: FetchAhead
  /** How long a reader waits for bytes before it requests them itself, in milliseconds. */
  readonly patienceMs: number | undefined
}

export class ReadAhead {
  readonly #options: ReadAheadOptions
  #window: Window | undefined
  /** Where the last range ended. */
  #next = 0
  #timer: NodeJS.Timeout | undefined

  constructor(options: ReadAheadOptions) {
    this.#options = options
  }

  /** Fills `into` with the bytes from `start` on; false if they are not fetched ahead. */
  async read(into: Uint8Array, start: number): Promise<boolean> {
    const range = { start, end: start + into.length }
    const isNext = start === this.#next && start > 0
    this.#next = range.end
    if (isNext && this.#window?.covers(range) !== true) this.#begin(range)
    const window = this.#window
    if (window?.covers(range) !== true) return false
    this.#keepFor(idleMs)
    if (await window.read(into, start, this.#options.patienceMs)) return true
    if (this.#window === window) this.drop()
    return false
  }

  /** Forgets what was fetched. */
  drop(): void {
    clearTimeout(this.#timer)
    this.#window?.end()
    if (this.#window !== undefined) this.#options.places.give()
    this.#window = undefined
  }

  /** Nothing is fetched if the range is the last one of its part, or if there is no place. */
  #begin({ start, end }: ByteRange): void {
    this.drop()
    const { size, partBytes, places, fetch } = this.#options
    const windowEnd = Math.min(size, start - (start % partBytes) + partBytes)
    if (windowEnd <= end || !places.tryTake()) return
    this.#window = new Window({ start, end: windowEnd }, fetch)
  }

  #keepFor(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.drop(), ms).unref()
  }
}

class Window {
  readonly #range: ByteRange
  readonly #bytes: Uint8Array
  readonly #ending = new AbortController()
  readonly #waiting = new Set<() => void>()
  #filled = 0
  #hasFailed = false

  constructor(range: ByteRange, fetch: FetchAhead) {
    this.#range = range
    this.#bytes = new Uint8Array(range.end - range.start)
    const onFilled = (bytes: number): void => {
      this.#filled = bytes
      this.#wake()
    }
    fetch({ into: this.#bytes, start: range.start }, onFilled, this.#ending.signal).catch(() => this.#fail())
  }

  covers({ start, end }: ByteRange): boolean {
    return !this.#hasFailed && start >= this.#range.start && end <= this.#range.end
  }

  /** False if the bytes cannot be fetched, or do not come in time. */
  async read(into: Uint8Array, start: number, patienceMs: number | undefined): Promise<boolean> {
    const from = start - this.#range.start
    const to = from + into.length
    let isLate = false
    const late = (): void => {
      isLate = true
      this.#wake()
    }
    const timer = patienceMs === undefined ? undefined : setTimeout(late, patienceMs)
    while (this.#filled < to && !this.#hasFailed && !isLate) {
      await new Promise<void>((resolve) => this.#waiting.add(resolve))
    }
    clearTimeout(timer)
    if (this.#filled < to) return false
    into.set(this.#bytes.subarray(from, to))
    return true
  }

  end(): void {
    this.#fail()
    // A request whose bytes are all there leaves its connection to the next one.
    if (this.#filled < this.#bytes.length) this.#ending.abort(new Error('The reader does not need these bytes.'))
  }

  /** What has come stays right. */
  #fail(): void {
    this.#hasFailed = true
    this.#wake()
  }

  #wake(): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const resolve of waiting) resolve()
  }
}

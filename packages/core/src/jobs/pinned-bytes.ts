/**
 * How many bytes are due for their erasure and stay for replicas, by the event that freed them. Each content is counted once, when it
 * becomes due, so that a sweep need not walk over everything that is pinned.
 */
import type { Hashing, RowReader, Seq } from '../ports/index.ts'
import { type Take, WaitingQueues } from './waiting-queues.ts'

/** Contents, and their bytes together. */
export interface Amount {
  readonly contents: number
  readonly bytes: number
}

export interface PinnedBytesLimits {
  /** With more positions, some are counted together, to bound the memory. @default 10,000 */
  readonly entriesMax?: number
  /** How many contents one call counts. @default 5000 */
  readonly contentsMax?: number
}

export class PinnedBytes {
  readonly #queues = new WaitingQueues()
  /** By the first position of those that are counted together. */
  #amounts = new Map<Seq, Amount>()
  /** So many positions are counted together. */
  #width = 1
  readonly #limits: Required<PinnedBytesLimits>

  constructor({ entriesMax = 10_000, contentsMax = 5000 }: PinnedBytesLimits = {}) {
    this.#limits = { entriesMax, contentsMax }
  }

  /**
   * Counts what has become due since the last call. `sizeOf`: the bytes of a content that is due and not counted yet; 0 if it does not
   * count, `undefined` if neither it nor what follows in its queue is due. True if there may be more.
   */
  async count(
    reader: RowReader,
    hashing: Hashing,
    sizeOf: (...given: Parameters<Take>) => Promise<number | undefined>,
  ): Promise<boolean> {
    const { contentsMax } = this.#limits
    let seen = 0
    await this.#queues.walk(reader, hashing, {
      isFull: () => seen >= contentsMax,
      take: async (place, queue) => {
        const bytes = await sizeOf(place, queue)
        if (bytes === undefined) return false
        seen++
        if (bytes > 0) this.#add(place.freedBy, { contents: 1, bytes })
        return true
      },
    })
    return seen >= contentsMax
  }

  get isEmpty(): boolean {
    return this.#amounts.size === 0
  }

  /** What was freed after a position. Too much, but never too little, where positions are counted together. */
  after(position: Seq): Amount {
    let [contents, bytes] = [0, 0]
    for (const [first, amount] of this.#amounts) {
      if (first + this.#width - 1 <= position) continue
      contents += amount.contents
      bytes += amount.bytes
    }
    return { contents, bytes }
  }

  /** What was freed up to a position is erased, or will be. */
  dropUpTo(position: Seq): void {
    for (const first of this.#amounts.keys()) if (first + this.#width - 1 <= position) this.#amounts.delete(first)
  }

  /** Call it if contents were erased all the same, or if others are due now. */
  forget(): void {
    this.#queues.forget()
    this.#amounts.clear()
    this.#width = 1
  }

  #add(freedBy: Seq, { contents, bytes }: Amount): void {
    const first = this.#firstOf(freedBy)
    const known = this.#amounts.get(first)
    this.#amounts.set(first, { contents: (known?.contents ?? 0) + contents, bytes: (known?.bytes ?? 0) + bytes })
    if (this.#amounts.size > this.#limits.entriesMax) this.#widen()
  }

  #firstOf(freedBy: Seq): Seq {
    return freedBy - (freedBy % this.#width)
  }

  #widen(): void {
    const amounts = this.#amounts
    this.#amounts = new Map()
    this.#width *= 2
    for (const [first, amount] of amounts) this.#add(first, amount)
  }
}

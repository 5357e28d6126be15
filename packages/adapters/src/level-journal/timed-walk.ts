/** A walk over the rows of a LevelDB that notes which of its searches took long. */
import type { LevelDatabase, LevelIterator } from './level-database.ts'
import { type Search, slowMs, type SlowRanges, slowRangesOf } from './slow-ranges.ts'
import { bytesOf, type LevelKey } from './text-keys.ts'

type Entries<K> = [K, Uint8Array][]

export class TimedWalk<K extends LevelKey = Uint8Array> {
  readonly #iterator: LevelIterator<K>
  readonly #slowRanges: SlowRanges | undefined
  readonly #reverse: boolean
  /** Where it began, and the last row that it found since. */
  #start: Uint8Array
  #last: K | undefined
  #seekMs = 0

  constructor(db: LevelDatabase, iterator: LevelIterator<K>, { from, reverse }: Search) {
    this.#iterator = iterator
    this.#slowRanges = slowRangesOf(db)
    this.#reverse = reverse
    this.#start = from
  }

  async nextv(count: number): Promise<Entries<K>> {
    const slowRanges = this.#slowRanges
    if (slowRanges === undefined) return this.#iterator.nextv(count)
    const started = slowRanges.now()
    const entries = await this.#iterator.nextv(count)
    const took = this.#seekMs + slowRanges.now() - started
    this.#seekMs = 0
    if (took >= slowMs) slowRanges.note(this.#searches(entries, count), took)
    this.#last = entries.at(-1)?.[0] ?? this.#last
    return entries
  }

  seek(target: Uint8Array): void {
    const slowRanges = this.#slowRanges
    const started = slowRanges?.now() ?? 0
    this.#iterator.seek(target)
    this.#seekMs = (slowRanges?.now() ?? 0) - started
    this.#start = target
    this.#last = undefined
  }

  /** The searches that can have taken the time: for the first row, and behind the last one if there were too few. */
  #searches(entries: Entries<K>, count: number): Search[] {
    const last = entries.at(-1)?.[0]
    const froms = [this.#last === undefined ? this.#start : this.#behind(this.#last)]
    if (last !== undefined && entries.length < count) froms.push(this.#behind(last))
    return froms.filter((from) => from !== undefined).map((from) => ({ from, reverse: this.#reverse }))
  }

  /** Walking backwards, there is no key that is sure to be the next one. */
  #behind = (key: K): Uint8Array | undefined => {
    const bytes = this.#reverse ? undefined : bytesOf(key)
    return bytes && Uint8Array.of(...bytes, 0)
  }
}

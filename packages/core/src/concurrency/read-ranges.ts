/** Ranges of row keys, joined where they overlap. Keys have one character per byte, so that they compare as text. */

/** From `gte` (inclusive) to `lt` (exclusive). */
export interface NameRange {
  readonly gte: string
  readonly lt: string
}

export class ReadRanges {
  #ranges: NameRange[] = []
  /** Whether the ranges are in order and do not overlap. */
  #joined = true

  add(range: NameRange): void {
    if (range.gte >= range.lt) return
    this.#ranges.push(range)
    this.#joined = false
  }

  addAll(others: ReadRanges): void {
    for (const range of others.#ranges) this.add(range)
  }

  has(name: string): boolean {
    if (!this.#joined) this.#join()
    let [low, high] = [0, this.#ranges.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#ranges[middle] as NameRange).lt <= name) low = middle + 1
      else high = middle
    }
    const range = this.#ranges[low]
    return range !== undefined && range.gte <= name
  }

  #join(): void {
    const joined: NameRange[] = []
    for (const range of this.#ranges.sort((a, b) => (a.gte < b.gte ? -1 : 1))) {
      const last = joined.at(-1)
      if (last === undefined || last.lt < range.gte) joined.push(range)
      else if (last.lt < range.lt) joined[joined.length - 1] = { gte: last.gte, lt: range.lt }
    }
    this.#ranges = joined
    this.#joined = true
  }
}

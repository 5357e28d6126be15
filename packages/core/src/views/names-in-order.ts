/** The sorted keys of a map, to find ranges of them. Sorts only when a range is read. */
export class NamesInOrder {
  readonly #map: ReadonlyMap<string, unknown>
  #sorted: string[] | undefined

  constructor(map: ReadonlyMap<string, unknown>) {
    this.#map = map
  }

  /** Call it with every name before the name is added to the map. */
  note(name: string): void {
    if (this.#sorted === undefined || this.#map.has(name)) return
    this.#sorted.splice(placeOf(this.#sorted, name), 0, name)
  }

  /** Call it after names were deleted from the map. */
  forget(): void {
    this.#sorted = undefined
  }

  /** The names from `gte` (inclusive) to `lt` (exclusive). */
  within(gte: string, lt: string): readonly string[] {
    if (this.#map.size === 0) return []
    this.#sorted ??= [...this.#map.keys()].sort(byUnits)
    return this.#sorted.slice(placeOf(this.#sorted, gte), placeOf(this.#sorted, lt))
  }
}

const byUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** The number of names that sort before `name`. */
function placeOf(sorted: readonly string[], name: string): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] as string) < name) low = middle + 1
    else high = middle
  }
  return low
}

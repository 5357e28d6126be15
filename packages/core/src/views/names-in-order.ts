/** The keys of a map in order, for looking up ranges of them. Nothing is sorted before the first range is read. */
export class NamesInOrder {
  readonly #map: ReadonlyMap<string, unknown>
  #sorted: string[] | undefined

  constructor(map: ReadonlyMap<string, unknown>) {
    this.#map = map
  }

  /** To be called with every name before it goes into the map. */
  note(name: string): void {
    if (this.#sorted === undefined || this.#map.has(name)) return
    this.#sorted.splice(placeOf(this.#sorted, name), 0, name)
  }

  /** To be called after names were taken out of the map. */
  forget(): void {
    this.#sorted = undefined
  }

  /** Names from `gte` to before `lt`. */
  within(gte: string, lt: string): readonly string[] {
    if (this.#map.size === 0) return []
    this.#sorted ??= [...this.#map.keys()].sort(byUnits)
    return this.#sorted.slice(placeOf(this.#sorted, gte), placeOf(this.#sorted, lt))
  }
}

const byUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** How many names sort before `name`. */
function placeOf(sorted: readonly string[], name: string): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] as string) < name) low = middle + 1
    else high = middle
  }
  return low
}

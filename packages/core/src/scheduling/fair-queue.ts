/**
 * A fair queue: many items of one holder do not delay another holder. The first items of all holders come before any
 * second item. Items of one holder keep their order, and so do holders with one item each.
 */
export class FairQueue<T> {
  /** The waiting items by holder, in the order of the holders' turns. */
  readonly #items = new Map<string, T[]>()
  #length = 0

  get length(): number {
    return this.#length
  }

  push(holder: string, item: T): void {
    const others = this.#items.get(holder)
    if (others === undefined) this.#items.set(holder, [item])
    else others.push(item)
    this.#length++
  }

  shift(): T | undefined {
    const [next] = this.#items
    if (next === undefined) return undefined
    const [holder, items] = next
    const item = items.shift()
    this.#items.delete(holder)
    if (items.length > 0) this.#items.set(holder, items)
    this.#length--
    return item
  }

  /**
   * Removes and returns the next items: all, or those before which the sum of the weights is less than `max`.
   * `weight` is 1 by default.
   */
  take(max = Number.POSITIVE_INFINITY, weight: (item: T) => number = () => 1): readonly T[] {
    const taken: T[] = []
    for (let [sum, item] = [0, undefined as T | undefined]; sum < max && (item = this.shift()) !== undefined; ) {
      taken.push(item)
      sum += weight(item)
    }
    return taken
  }
}

/**
 * A queue in which many items of one holder do not stand before one of another: the first of each comes before the second of
 * any. Items of one holder keep their order, and so do holders with one item each.
 */
export class FairQueue<T> {
  /** Holders in the order of their turns. */
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

  /** Takes the next ones: all, or at most as many as given. */
  take(max = Number.POSITIVE_INFINITY): readonly T[] {
    const taken: T[] = []
    for (let item; taken.length < max && (item = this.shift()) !== undefined; ) taken.push(item)
    return taken
  }
}

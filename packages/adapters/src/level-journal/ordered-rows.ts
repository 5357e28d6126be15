/**
 * Rows in memory, in the order of their keys, in leaves of some hundred rows each. A reader of a state keeps its
 * leaves: later changes are made in copies.
 */
import { rowName } from '../journal-kit/row-name.ts'

interface Leaf {
  /** Keys, one character a byte. */
  readonly names: string[]
  readonly values: Uint8Array[]
  /** The state it was made for. Later states may share it; they never change it. */
  readonly state: number
}

export type Leaves = readonly Leaf[]

/** Where a row is, or would be. */
interface Place {
  readonly leaf: number
  readonly at: number
}

const leafMax = 512

export class OrderedRows {
  #leaves: Leaf[] = [{ names: [], values: [], state: 0 }]
  #state = 0
  /** The state that the list of leaves was made for. */
  #listed = 0

  /** The same rows, which then change on their own: each of the two copies a leaf before it changes it. */
  fork(): OrderedRows {
    const fork = new OrderedRows()
    fork.#leaves = this.#leaves
    this.keep()
    fork.#listed = this.#state - 1
    fork.#state = this.#state
    return fork
  }

  /** The current state, which stays unchanged for the reader that holds it. */
  keep(): Leaves {
    this.#state++
    return this.#leaves
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return findIn(this.#leaves, rowName(key))
  }

  set(key: Uint8Array, value: Uint8Array): void {
    const name = rowName(key)
    const { leaf, at } = placeIn(this.#leaves, name)
    const own = this.#own(leaf)
    if (own.names[at] === name) own.values[at] = value
    else {
      own.names.splice(at, 0, name)
      own.values.splice(at, 0, value)
      if (own.names.length > leafMax) this.#split(leaf, own)
    }
  }

  delete(key: Uint8Array): void {
    const name = rowName(key)
    const { leaf, at } = placeIn(this.#leaves, name)
    if (this.#leaves[leaf]?.names[at] !== name) return
    const own = this.#own(leaf)
    own.names.splice(at, 1)
    own.values.splice(at, 1)
    if (own.names.length === 0 && this.#leaves.length > 1) this.#leaves.splice(leaf, 1)
  }

  /** The leaf, copied if a reader may hold it, so that it can be changed. */
  #own(index: number): Leaf {
    if (this.#listed < this.#state) this.#leaves = [...this.#leaves]
    this.#listed = this.#state
    const leaf = this.#leaves[index] as Leaf
    if (leaf.state === this.#state) return leaf
    const own = { names: [...leaf.names], values: [...leaf.values], state: this.#state }
    this.#leaves[index] = own
    return own
  }

  #split(index: number, { names, values, state }: Leaf): void {
    const half = names.length >>> 1
    this.#leaves.splice(index + 1, 0, { names: names.splice(half), values: values.splice(half), state })
  }
}

export function findIn(leaves: Leaves, name: string): Uint8Array | undefined {
  const { leaf, at } = placeIn(leaves, name)
  const { names, values } = leaves[leaf] as Leaf
  return names[at] === name ? values[at] : undefined
}

/** The place of the first row whose name is `name` or greater. */
export function placeIn(leaves: Leaves, name: string): Place {
  // Finds the last leaf that begins at or before `name`.
  let [low, high] = [0, leaves.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if (((leaves[middle] as Leaf).names[0] as string) <= name) low = middle
    else high = middle - 1
  }
  return { leaf: low, at: indexIn((leaves[low] as Leaf).names, name) }
}

function indexIn(names: readonly string[], name: string): number {
  let [low, high] = [0, names.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((names[middle] as string) < name) low = middle + 1
    else high = middle
  }
  return low
}

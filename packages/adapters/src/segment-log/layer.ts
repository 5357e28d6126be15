/**
 * Recent changes of rows in memory, in order. Each row has the states that readers may still use, each with the number
 * of the commit that made it.
 */
import type { LoggedRow } from './format/record-body.ts'

export interface RowState {
  readonly commit: number
  readonly found: LoggedRow['found']
}

export interface LayerEntry {
  readonly name: string
  /** The newest last. */
  readonly states: RowState[]
}

/** The memory that a row takes beside its bytes, roughly. */
const entryBytes = 128

export class Layer {
  readonly #entries = new Map<string, LayerEntry>()
  readonly #order: LayerEntry[] = []
  /** Increased whenever a row is added: walks then search for their place again. */
  stamp = 0
  /** The size in memory, roughly. */
  bytes = 0

  get size(): number {
    return this.#order.length
  }

  /** `pinned`: no reader holds a later commit. Returns the state that no reader can see any more. */
  put(row: LoggedRow, commit: number, pinned: number): RowState | undefined {
    const { name, found } = row
    const state = { commit, found }
    this.bytes += found instanceof Uint8Array ? found.length : 0
    const entry = this.#entries.get(name)
    if (entry === undefined) {
      const added = { name, states: [state] }
      this.#entries.set(name, added)
      this.#order.splice(this.placeOf(name), 0, added)
      this.stamp++
      this.bytes += name.length + entryBytes
      return undefined
    }
    const newest = entry.states.at(-1) as RowState
    if (newest.commit <= pinned) {
      entry.states.push(state)
      return undefined
    }
    entry.states[entry.states.length - 1] = state
    return newest
  }

  /** The row as of `commit`; `undefined` when this layer has no state of it. */
  get(name: string, commit: number): RowState | undefined {
    const entry = this.#entries.get(name)
    return entry === undefined ? undefined : stateAt(entry, commit)
  }

  entryAt(index: number): LayerEntry | undefined {
    return this.#order[index]
  }

  entries(): readonly LayerEntry[] {
    return this.#order
  }

  /** The index of the first row at or after `name`. */
  placeOf(name: string): number {
    let [low, high] = [0, this.#order.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#order[middle] as LayerEntry).name < name) low = middle + 1
      else high = middle
    }
    return low
  }
}

export function stateAt({ states }: LayerEntry, commit: number): RowState | undefined {
  for (let i = states.length - 1; i >= 0; i--) {
    const state = states[i] as RowState
    if (state.commit <= commit) return state
  }
  return undefined
}

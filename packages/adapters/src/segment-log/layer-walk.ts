/** A walk over the rows of one layer in one range, both ways, as they were after one commit. Rows may be added meanwhile. */
import type { RowRange } from '@varve/core'
import { type Layer, type LayerEntry, type RowState, stateAt } from './layer.ts'
import { rowName } from '../journal-kit/row-name.ts'

export interface WalkedRow {
  readonly entry: LayerEntry
  readonly state: RowState
}

export class LayerWalk {
  readonly #layer: Layer
  readonly #commit: number
  readonly #low: string
  readonly #high: string
  readonly #reverse: boolean
  /** Where it goes on: at this name or behind it, in the direction of the walk; backwards it is left out. */
  #from: string
  #index = 0
  #stamp = -1

  constructor(layer: Layer, commit: number, { gte, lt, reverse = false }: RowRange) {
    this.#layer = layer
    this.#commit = commit
    this.#low = rowName(gte)
    this.#high = rowName(lt)
    this.#reverse = reverse
    this.#from = reverse ? this.#high : this.#low
  }

  /** The row the walk stands at. */
  get head(): WalkedRow | undefined {
    if (this.#stamp !== this.#layer.stamp) this.#find()
    for (;;) {
      const entry = this.#layer.entryAt(this.#index)
      if (entry === undefined || entry.name < this.#low || entry.name >= this.#high) return undefined
      const state = stateAt(entry, this.#commit)
      if (state !== undefined) return { entry, state }
      this.#step(entry)
    }
  }

  /** Behind the row it stands at. */
  next(): void {
    const entry = this.#layer.entryAt(this.#index)
    if (entry !== undefined) this.#step(entry)
  }

  /** To the first row at or behind `name`, in the direction of the walk, within the range. */
  seek(name: string): void {
    if (this.#reverse) this.#from = name >= this.#high ? this.#high : `${name}\0`
    else this.#from = name < this.#low ? this.#low : name
    this.#stamp = -1
  }

  #step({ name }: LayerEntry): void {
    this.#from = this.#reverse ? name : `${name}\0`
    this.#index += this.#reverse ? -1 : 1
  }

  #find(): void {
    const place = this.#layer.placeOf(this.#from)
    this.#index = this.#reverse ? place - 1 : place
    this.#stamp = this.#layer.stamp
  }
}

/** A walk over the rows of one layer in one range, in either direction, as of one commit. Rows may be added. */
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
  /** Where the walk continues: at the first row at or after this name; backwards, at the first row before it. */
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

  /** The row at which the walk stands. */
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

  /** Moves to the next row. */
  next(): void {
    const entry = this.#layer.entryAt(this.#index)
    if (entry !== undefined) this.#step(entry)
  }

  /** Moves to the first row at or after `name`, in the direction of the walk, within the range. */
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

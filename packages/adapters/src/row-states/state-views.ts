/**
 * The states that readers hold, in a database with one writer in this process. Until something is written, all of them
 * read the newest state. Before a write the database keeps that state, once for all its holders. So a reader that ends
 * before the next commit costs nothing.
 */
import { type HeldState, heldState, type RowState } from './row-state.ts'

interface View {
  state: RowState
  kept: HeldState | undefined
  holders: number
}

export class StateViews {
  readonly #newest: RowState
  readonly #keep: () => HeldState
  readonly #kept = new Set<HeldState>()
  #shared: View | undefined
  #changing = false

  /** `keep` makes the database keep its current state. */
  constructor(newest: RowState, keep: () => HeldState) {
    this.#newest = newest
    this.#keep = keep
  }

  /** The current state. */
  hold(): HeldState {
    // During a commit the newest state may change at any moment.
    const view = this.#changing ? viewOf(this.#newest, this.#keepNow()) : (this.#shared ??= viewOf(this.#newest))
    view.holders++
    return heldState(
      () => view.state,
      () => this.#release(view),
    )
  }

  /** Runs `work`, which creates the next state. */
  async change<T>(work: () => Promise<T>): Promise<T> {
    const view = this.#shared
    if (view !== undefined && view.holders > 0) {
      view.kept = this.#keepNow()
      view.state = view.kept
    }
    this.#shared = undefined
    this.#changing = true
    try {
      return await work()
    } finally {
      this.#changing = false
    }
  }

  /** Called before the database closes: there are no reads after this. */
  releaseAll(): void {
    for (const kept of this.#kept) kept.release()
    this.#kept.clear()
  }

  #keepNow(): HeldState {
    const kept = this.#keep()
    this.#kept.add(kept)
    return kept
  }

  #release(view: View): void {
    view.holders--
    if (view.holders > 0 || view.kept === undefined) return
    this.#kept.delete(view.kept)
    view.kept.release()
  }
}

const viewOf = (newest: RowState, kept?: HeldState): View => ({ state: kept ?? newest, kept, holders: 0 })

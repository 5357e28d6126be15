/**
 * States that readers hold on to, of a database with one writer in this process. As long as nothing is written, the newest
 * state is the one they hold; before something is, the database keeps it, once for all its holders. So a
 * reader that is done before the next commit costs nothing.
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

  /** `keep` has the database keep the state it is in. */
  constructor(newest: RowState, keep: () => HeldState) {
    this.#newest = newest
    this.#keep = keep
  }

  /** The state as it is now. */
  hold(): HeldState {
    // While a commit is under way, what is newest may change at any moment.
    const view = this.#changing ? viewOf(this.#newest, this.#keepNow()) : (this.#shared ??= viewOf(this.#newest))
    view.holders++
    return heldState(
      () => view.state,
      () => this.#release(view),
    )
  }

  /** Runs what brings about the next state. */
  async change(work: () => Promise<void>): Promise<void> {
    const view = this.#shared
    if (view !== undefined && view.holders > 0) {
      view.kept = this.#keepNow()
      view.state = view.kept
    }
    this.#shared = undefined
    this.#changing = true
    try {
      await work()
    } finally {
      this.#changing = false
    }
  }

  /** Before the database closes: no reads from here on. */
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

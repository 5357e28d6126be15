/**
 * What the log holds and the views do not have yet. Changes gather in `active`; while the views take a batch over it is
 * `frozen`, and readers see both before they look at the views. Whether those have the batch already or not makes no
 * difference to them: what is in memory is newer, or the same.
 */
import type { LoggedCommit } from './format/encode-group.ts'
import { Layer, type RowState } from './layer.ts'
import { isPlace } from './long-values.ts'
import type { LogPosition, Place } from './format/log-position.ts'
import type { EventPlace } from './format/view-entries.ts'

/** One entry of the index of events for so many bytes of a segment. */
const bytesPerEventPlace = 64 * 1024

/** Bytes by segment. */
type Tally = Map<number, number>

export interface ViewsBatch {
  readonly layer: Layer
  readonly eventPlaces: EventPlace[]
  /** Long values that came into the log, and those among them no row points to any more. */
  readonly written: Tally
  readonly dead: Tally
  /** Where the log stands after it. */
  end: LogPosition
  logBytes: number
}

/** One committed state of the layers. */
export interface LayersAt {
  /** The newest first. */
  readonly layers: readonly Layer[]
  readonly commit: number
}

export class Overlay {
  #active: ViewsBatch
  #frozen: ViewsBatch | undefined
  #commits = 0
  /** The last commit that a reader pinned. */
  #pinned = -1
  #layers: readonly Layer[]
  /** The block of 64 KiB the last entry of the index was made for. */
  #indexed = ''

  constructor(end: LogPosition) {
    this.#active = emptyBatch(end)
    this.#layers = [this.#active.layer]
  }

  get active(): ViewsBatch {
    return this.#active
  }

  /** What is newest, for a look that is over before anything changes. */
  get current(): LayersAt {
    return { layers: this.#layers, commit: Number.POSITIVE_INFINITY }
  }

  /** What is newest, for as long as it is held. */
  pin(): LayersAt {
    this.#pinned = this.#commits
    return { layers: this.#layers, commit: this.#commits }
  }

  /** Takes in commits that are durable, and lie next to each other. */
  add(commits: readonly LoggedCommit[], end: LogPosition): void {
    const { layer, written } = this.#active
    for (const commit of commits) {
      this.#commits++
      for (const row of commit.rows) {
        if (isPlace(row.found)) count(written, row.found)
        this.#bury(layer.put(row, this.#commits, this.#pinned))
      }
      this.#index(commit)
    }
    this.#active.logBytes += end.offset - (commits[0]?.offset ?? end.offset)
    this.#active.end = end
  }

  /** The entry of the index for the last record at or before `seq`, if it is still here. */
  eventPlaceOf(seq: number): EventPlace | undefined {
    const fits = (place: EventPlace) => place.seq <= seq
    return this.#active.eventPlaces.findLast(fits) ?? this.#frozen?.eventPlaces.findLast(fits)
  }

  /** Gives all that has gathered to the views; `thaw` when they have it. */
  freeze(): ViewsBatch {
    if (this.#frozen !== undefined) throw new Error('One batch at a time.')
    const batch = this.#active
    this.#frozen = batch
    this.#active = emptyBatch(batch.end)
    this.#layers = [this.#active.layer, batch.layer]
    return batch
  }

  thaw(): void {
    this.#frozen = undefined
    this.#layers = [this.#active.layer]
  }

  /** A state that no reader will ever see: its long value, if it has one, is dead. */
  #bury(state: RowState | undefined): void {
    if (state !== undefined && isPlace(state.found)) count(this.#active.dead, state.found)
  }

  #index({ segment, offset, head, events }: LoggedCommit): void {
    const block = `${segment}:${Math.floor(offset / bytesPerEventPlace)}`
    if (events === 0 || block === this.#indexed) return
    this.#indexed = block
    this.#active.eventPlaces.push({ seq: head + 1, segment, offset })
  }
}

const emptyBatch = (end: LogPosition): ViewsBatch => ({
  layer: new Layer(),
  eventPlaces: [],
  written: new Map(),
  dead: new Map(),
  end,
  logBytes: 0,
})

export function count(tally: Tally, { segment, length }: Place): void {
  tally.set(segment, (tally.get(segment) ?? 0) + length)
}

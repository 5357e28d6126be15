/**
 * The changes that are in the log but not yet in the views. They gather in `active`. While the views take over a batch
 * it is `frozen`, and readers look at both before they look at the views. It does not matter to readers whether the
 * views have the batch already: the state in memory is newer, or the same.
 */
import type { LoggedCommit } from './format/encode-group.ts'
import { Layer, type RowState } from './layer.ts'
import { isPlace } from './long-values.ts'
import type { LogPosition, Place } from './format/log-position.ts'
import type { EventPlace } from './format/view-entries.ts'

/** The index of events has one entry for this many bytes of a segment. */
const bytesPerEventPlace = 64 * 1024

/** Numbers of bytes, by segment. */
type Tally = Map<number, number>

export interface ViewsBatch {
  readonly layer: Layer
  readonly eventPlaces: EventPlace[]
  /** Bytes of long values that were added to the log, and of those that no row points to any more. */
  readonly written: Tally
  readonly dead: Tally
  /** The position in the log after the batch. */
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
  /** The block of 64 KiB for which the last entry of the index was made. */
  #indexed = ''

  constructor(end: LogPosition) {
    this.#active = emptyBatch(end)
    this.#layers = [this.#active.layer]
  }

  get active(): ViewsBatch {
    return this.#active
  }

  /** The newest state, for a read that ends before anything changes. */
  get current(): LayersAt {
    return { layers: this.#layers, commit: Number.POSITIVE_INFINITY }
  }

  /** The newest state, for as long as it is held. */
  pin(): LayersAt {
    this.#pinned = this.#commits
    return { layers: this.#layers, commit: this.#commits }
  }

  /** Adds durable commits, which must be adjacent in the log. */
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

  /** The entry of the index for the last record at or before `seq`, if the layers still have it. */
  eventPlaceOf(seq: number): EventPlace | undefined {
    const fits = (place: EventPlace) => place.seq <= seq
    return this.#active.eventPlaces.findLast(fits) ?? this.#frozen?.eventPlaces.findLast(fits)
  }

  /** Returns all gathered changes for the views; call `thaw` when the views have them. */
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

  /** Drops a state that no reader will see any more: its long value, if it has one, is dead. */
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

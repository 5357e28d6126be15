/**
 * What is done behind everybody's back, one thing after another: segments that are written no more get an index, and those
 * of which little is needed are cleared out. Only when a segment is gone for good is it forgotten: until then marks about
 * it are needed.
 */
import { onMedium } from '../files/errno.ts'
import { type Clearing, clearSegment } from './clear-segment.ts'
import type { SegmentContents } from './format/index-format.ts'
import type { LoadedSegment } from './load-segment.ts'
import type { SegmentId } from './format/segment-paths.ts'
import {
  type ClearingPolicy,
  countTargets,
  isDamaged,
  isWasteful,
  nextToClear,
  type SegmentState,
} from './segment-states.ts'

export interface SegmentMaintenanceOptions extends ClearingPolicy {
  /** Clear out segments whenever something was deleted, or only by a call. */
  readonly clearing: 'background' | 'on-request'
}

export class SegmentMaintenance {
  readonly #clearing: Clearing
  readonly #options: SegmentMaintenanceOptions
  readonly #states: Map<SegmentId, SegmentState>
  #last: Promise<unknown> = Promise.resolve()
  #tidying = false
  #again = false
  #stopped = false

  constructor(
    parts: Omit<Clearing, 'isThere' | 'stopped'>,
    loaded: readonly LoadedSegment[],
    options: SegmentMaintenanceOptions,
  ) {
    this.#options = options
    this.#states = statesOf(loaded)
    this.#clearing = {
      ...parts,
      isThere: (segment) => this.#states.has(segment) || segment === parts.appender.open,
      stopped: () => this.#stopped,
    }
  }

  /** Nothing more will be written to a segment. */
  sealed(id: SegmentId, contents: SegmentContents): void {
    const { blobs, marks, end } = contents
    const { directory } = this.#clearing
    this.#states.set(id, { id, end, targets: countTargets(marks), damaged: false })
    const work = blobs.length + marks.length === 0 ? () => this.#remove(id) : () => directory.writeIndex(id, contents)
    // Without an index it is read when the store is opened: that takes time, and is all.
    this.#task(work).catch(() => undefined)
    this.tidyIfWasteful([id])
  }

  /** Looking through all segments is for when one of them has changed for the worse. */
  tidyIfWasteful(changed: readonly SegmentId[]): void {
    const { table } = this.#clearing
    const states = [...new Set(changed)].flatMap((id) => this.#states.get(id) ?? [])
    if (states.some((state) => isWasteful(state, table.liveIn(state.id), this.#options))) this.tidy()
  }

  /** Begins to clear out what is worth it; when that is under way, it goes round once more. */
  tidy(): void {
    if (this.#options.clearing === 'on-request' || this.#stopped) return
    this.#again = this.#tidying
    if (this.#tidying) return
    this.#tidying = true
    void this.clearAll()
      .catch(() => undefined)
      .then(() => {
        this.#tidying = false
        if (this.#again) this.tidy()
      })
  }

  /** Clears out every segment that is worth it; resolves with how many are gone. */
  clearAll(): Promise<number> {
    return this.#task(async () => {
      const skip = new Set<SegmentId>()
      let gone = 0
      while (!this.#stopped) {
        const id = nextToClear(this.#states, this.#clearing.table, this.#options, skip)
        if (id === undefined) break
        skip.add(id)
        if (await this.#clear(id)) gone++
      }
      return gone
    })
  }

  /** Clears out this one, whatever is in it; `take` puts the file elsewhere. False when something in it cannot be moved. */
  clearOut(id: SegmentId, take: () => Promise<unknown>): Promise<boolean> {
    return this.#task(async () => {
      if (!this.#states.has(id)) return false
      const cleared = await clearSegment(this.#clearing, id, take)
      // Its index is void, and is removed at the latest when the store is opened.
      if (cleared === 'gone') this.#forget(id)
      return cleared === 'gone'
    })
  }

  /** Clearing out stops at the next batch. Resolves when all that was begun has come to its end. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.#last
  }

  #task<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work)
    this.#last = done.catch(() => undefined)
    return done
  }

  /** True when it is gone. */
  async #clear(id: SegmentId): Promise<boolean> {
    const cleared = await onMedium('BlobFailed', 'Clearing out a segment', () => clearSegment(this.#clearing, id))
    if (cleared === 'gone') this.#forget(id)
    if (cleared === 'damaged') this.#states.set(id, { ...(this.#states.get(id) as SegmentState), damaged: true })
    return cleared === 'gone'
  }

  async #remove(id: SegmentId): Promise<void> {
    await this.#clearing.directory.remove(id)
    this.#forget(id)
  }

  #forget(id: SegmentId): void {
    const { table, appender } = this.#clearing
    this.#states.delete(id)
    table.dropSegment(id)
    appender.forget(id)
  }
}

function statesOf(loaded: readonly LoadedSegment[]): Map<SegmentId, SegmentState> {
  const marks = loaded.flatMap((segment) => segment.marks)
  return new Map(
    loaded.map((segment) => {
      const { id, end } = segment
      return [id, { id, end, targets: countTargets(segment.marks), damaged: isDamaged(segment, marks) }]
    }),
  )
}

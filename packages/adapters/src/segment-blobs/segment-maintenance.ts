/**
 * Background work on segments, one task after another: complete segments get an index, and segments of which little is
 * needed are cleared out. A segment is forgotten only when it was removed for good: until then marks about it are
 * needed.
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
  /** Clear out segments after deletes, or only when `clearAll` is called. */
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

  /** Called when nothing more will be written to a segment. */
  sealed(id: SegmentId, contents: SegmentContents): void {
    const { blobs, marks, end } = contents
    const { directory } = this.#clearing
    this.#states.set(id, { id, end, targets: countTargets(marks), damaged: false })
    const work = blobs.length + marks.length === 0 ? () => this.#remove(id) : () => directory.writeIndex(id, contents)
    // If this fails, opening the store scans the segment, which only takes time.
    this.#task(work).catch(() => undefined)
    this.tidyIfWasteful([id])
  }

  /** All segments are examined only if one of these has become wasteful. */
  tidyIfWasteful(changed: readonly SegmentId[]): void {
    const { table } = this.#clearing
    const states = [...new Set(changed)].flatMap((id) => this.#states.get(id) ?? [])
    if (states.some((state) => isWasteful(state, table.liveIn(state.id), this.#options))) this.tidy()
  }

  /** Begins to clear out wasteful segments; if that already runs, it runs once more afterwards. */
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

  /** Clears out every wasteful segment; resolves with the number of removed segments. */
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

  /** Clears out this segment in any case; `take` moves the file elsewhere. False when a part of it cannot be moved. */
  clearOut(id: SegmentId, take: () => Promise<unknown>): Promise<boolean> {
    return this.#task(async () => {
      if (!this.#states.has(id)) return false
      const cleared = await clearSegment(this.#clearing, id, take)
      // Its index is useless now, and is removed at the latest when the store is opened.
      if (cleared === 'gone') this.#forget(id)
      return cleared === 'gone'
    })
  }

  /** Stops the clearing before its next batch. Resolves when all tasks have ended. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.#last
  }

  #task<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work)
    this.#last = done.catch(() => undefined)
    return done
  }

  /** True when the segment was removed. */
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

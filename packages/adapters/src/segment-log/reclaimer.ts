/** Decides which segment is worth copying, and copies one at a time. A failure here does not harm the log. */
import { reclaimSegment, type ReclaimParts } from './reclaim-segment.ts'
import type { SegmentUsage } from './format/view-entries.ts'
import type { ViewsWriter } from './views-writer.ts'

export interface ReclaimerOptions extends ReclaimParts {
  readonly views: ViewsWriter
  readonly usage: ReadonlyMap<number, SegmentUsage>
  /** A segment is copied when so many bytes of its values are dead (no row points to them), and half of all. */
  readonly deadBytesMin: number
}

const deadShareMin = 0.5

export class Reclaimer {
  readonly #options: ReclaimerOptions
  /** Segments that are damaged, or whose copy failed: not tried again until the log is opened again. */
  readonly #leftAlone = new Set<number>()
  #turn: Promise<void> | undefined
  #stopped = false

  constructor(options: ReclaimerOptions) {
    this.#options = options
  }

  /** Begins to copy a segment if one is worth it. */
  nudge(): void {
    if (this.#turn !== undefined || this.#stopped || this.#worst() === undefined) return
    this.#turn = this.#run()
  }

  /** Resolves when no segment is worth copying. */
  async idle(): Promise<void> {
    this.nudge()
    await this.#turn
  }

  /** Resolves when the running copy has ended. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.#turn
  }

  async #run(): Promise<void> {
    for (let segment = this.#worst(); segment !== undefined && !this.#stopped; segment = this.#worst()) {
      try {
        const { dead } = this.#options.usage.get(segment) as SegmentUsage
        const left = await reclaimSegment(this.#options, segment)
        await this.#options.views.noteReclaimed(segment, left, dead)
      } catch {
        this.#leftAlone.add(segment)
      }
    }
    // In the same step: a nudge in between would do nothing.
    this.#turn = undefined
  }

  #worst(): number | undefined {
    const { usage, views, deadBytesMin } = this.#options
    let worst: readonly [segment: number, dead: number] | undefined
    for (const [segment, { values, dead }] of usage) {
      // Only complete segments that are wholly in the views.
      if (segment >= views.position.segment || this.#leftAlone.has(segment)) continue
      if (dead < deadBytesMin || dead < deadShareMin * values) continue
      if (worst === undefined || dead > worst[1]) worst = [segment, dead]
    }
    return worst?.[0]
  }
}

/** Decides which segment is worth copying, and copies one at a time. A failure here does not harm the log. */
import { clearSegments } from './clear-segments.ts'
import { type CopyParts, copySegment } from './copy-segment.ts'

export interface ReclaimerOptions extends CopyParts {
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

  /**
   * Copies every segment before `before` that has values of these rows, which were removed, without them. The views must have all of
   * these segments. False if one could not be copied.
   */
  async clear(names: ReadonlySet<string>, before: number): Promise<boolean> {
    while (this.#turn !== undefined) await this.#turn
    if (this.#stopped) return false
    const clearing = clearSegments(this.#options, { names, before, isStopped: () => this.#stopped })
    const turn = clearing.then(
      () => undefined,
      () => undefined,
    )
    this.#turn = turn
    try {
      return await clearing
    } finally {
      this.#turn = undefined
      this.nudge()
    }
  }

  /** Resolves when the running copy has ended. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.#turn
  }

  async #run(): Promise<void> {
    for (let segment = this.#worst(); segment !== undefined && !this.#stopped; segment = this.#worst()) {
      try {
        await copySegment(this.#options, segment)
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

/** What a verification has seen so far. */
import type { Tip } from '../ports/index.ts'
import type { Divergence, VerifyOptions, VerifyReport } from './report.ts'

const keptMax = 10_000

export class Findings {
  events = 0
  rows = 0
  blobs = 0
  bytes = 0
  tip: Tip | undefined
  readonly #kept: Divergence[] = []
  readonly #about = new Set<string>()
  readonly #listener: VerifyOptions['onDivergence']
  #found = 0

  constructor({ onDivergence }: Pick<VerifyOptions, 'onDivergence'> = {}) {
    this.#listener = onDivergence
  }

  get found(): number {
    return this.#found
  }

  /** The same thing found twice, on different ways to it, counts once. */
  note(divergence: Divergence): void {
    const { kind, key, seq } = divergence
    if (key !== undefined) {
      const about = `${kind} ${key} ${kind.startsWith('Row') ? '' : (seq ?? '')}`
      if (this.#about.has(about)) return
      if (this.#about.size < keptMax) this.#about.add(about)
    }
    this.#found++
    if (this.#kept.length < keptMax) this.#kept.push(divergence)
    this.#listener?.(divergence)
  }

  report(): VerifyReport {
    const { events, rows, blobs, bytes, tip } = this
    const looked = { events, rows, blobs, bytes, ...(tip && { tip }) }
    return { ok: this.#found === 0, ...looked, divergences: this.#kept, found: this.#found }
  }
}

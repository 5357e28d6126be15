/** The findings of a verification so far. */
import type { Tip } from '../ports/index.ts'
import { inEpoch } from '../views/describe-key.ts'
import type { Epochs } from '../views/epochs.ts'
import { type Divergence, isLeftover, type VerifyOptions, type VerifyReport } from './report.ts'

const keptMax = 10_000

export class Findings {
  events = 0
  rows = 0
  blobs = 0
  bytes = 0
  /** Damage that was healed. */
  healed = 0
  tip: Tip | undefined
  /** Those of the log, for the ids of versions in what is found. */
  epochs: Epochs = []
  readonly #kept: Divergence[] = []
  readonly #about = new Set<string>()
  readonly #listener: VerifyOptions['onDivergence']
  #wrong = 0
  #leftovers = 0

  constructor({ onDivergence }: Pick<VerifyOptions, 'onDivergence'> = {}) {
    this.#listener = onDivergence
  }

  get found(): number {
    return this.#wrong + this.#leftovers
  }

  /** Records a divergence. The same one found in two ways counts once. */
  note(found: Divergence): void {
    const divergence = inEpoch(found, this.epochs)
    const { kind, key, seq } = divergence
    if (key !== undefined) {
      const about = `${kind} ${key} ${kind.startsWith('Row') ? '' : (seq ?? '')}`
      if (this.#about.has(about)) return
      if (this.#about.size < keptMax) this.#about.add(about)
    }
    const count = isLeftover(divergence) ? this.#leftovers++ : this.#wrong++
    if (count < keptMax) this.#kept.push(divergence)
    this.#listener?.(divergence)
  }

  report(): VerifyReport {
    const { events, rows, blobs, bytes, healed, tip, found } = this
    const looked = { events, rows, blobs, bytes, ...(tip && { tip }), ...(healed > 0 && { healed }) }
    return { ok: this.#wrong === 0, ...looked, divergences: this.#kept, found, leftovers: this.#leftovers }
  }
}

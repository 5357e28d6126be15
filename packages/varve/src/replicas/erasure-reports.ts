import type { Seq } from '@varve/core'
import type { ErasureWatch } from './erasure-watch.ts'

/** How long after an erasure its end is reported to other engines: longer than they wait for it. */
const reportMs = 20_000

/** Says up to where a replica has nothing of what was erased: to this engine, and to others while these may wait for it. */
export class ErasureReports {
  readonly #watch: Pick<ErasureWatch, 'advance'>
  readonly #report: (upTo: Seq) => Promise<void>
  #last: Seq = 0
  #until = 0

  constructor(watch: Pick<ErasureWatch, 'advance'>, report: (upTo: Seq) => Promise<void>) {
    this.#watch = watch
    this.#report = report
  }

  /** An erasure was copied. */
  requested(): void {
    this.#until = performance.now() + reportMs
  }

  async advance(upTo: Seq): Promise<void> {
    this.#watch.advance(upTo)
    if (upTo === this.#last || performance.now() > this.#until) return
    await this.#report(upTo)
    this.#last = upTo
  }
}

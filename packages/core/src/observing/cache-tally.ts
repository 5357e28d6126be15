import type { CacheObservation } from '../ports/index.ts'

/** A report costs more than a lookup, so lookups are reported together. */
const lookupsMax = 1000

/** Counts the lookups in one cache between two reports. */
export class CacheTally {
  readonly #name: CacheObservation['name']
  readonly #report: (observation: CacheObservation) => void
  #hits = 0
  #misses = 0

  constructor(name: CacheObservation['name'], report: (observation: CacheObservation) => void) {
    this.#name = name
    this.#report = report
  }

  count(isHit: boolean): void {
    if (isHit) this.#hits++
    else this.#misses++
    if (this.#hits + this.#misses >= lookupsMax) this.report()
  }

  /** Reports the lookups since the last report, if there are any. */
  report(): void {
    if (this.#hits + this.#misses === 0) return
    this.#report({ name: this.#name, hits: this.#hits, misses: this.#misses })
    this.#hits = 0
    this.#misses = 0
  }
}

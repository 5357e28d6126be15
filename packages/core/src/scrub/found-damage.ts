/** The damage that scrubs of one opening have found. */
import type { Clock } from '../ports/index.ts'
import { type Divergence, isLeftover } from '../verify/report.ts'

/** Damage, and when a scrub found it last. */
export type FoundDamage = Divergence & { readonly foundAt: Date }

const keptMax = 1000

/** Keeps each damage once, the newest thousand. What a whole pass does not find again was repaired or removed. */
export class DamageFound {
  readonly #clock: Pick<Clock, 'now'>
  readonly #found = new Map<string, FoundDamage>()

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  get list(): readonly FoundDamage[] {
    return [...this.#found.values()]
  }

  /** A scrub begins. `isWhole`: it looks at everything. */
  beginPass(isWhole: boolean): { note(divergence: Divergence): void; end(): void } {
    const seen = new Set<string>()
    return {
      note: (divergence) => {
        if (isLeftover(divergence)) return
        const identity = identityOf(divergence)
        seen.add(identity)
        this.#add(identity, divergence)
      },
      end: () => {
        if (!isWhole) return
        for (const identity of this.#found.keys()) if (!seen.has(identity)) this.#found.delete(identity)
      },
    }
  }

  #add(identity: string, divergence: Divergence): void {
    // The newest is last.
    this.#found.delete(identity)
    this.#found.set(identity, { ...divergence, foundAt: new Date(this.#clock.now()) })
    const [oldest] = this.#found.keys()
    if (this.#found.size > keptMax && oldest !== undefined) this.#found.delete(oldest)
  }
}

const identityOf = ({ kind, seq, key, table }: Divergence): string => JSON.stringify([kind, seq, key, table])

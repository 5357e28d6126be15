import { type Expiration, expirationOf, type JudgedObject } from '../lifecycle/expiration.ts'
import type { Seq } from '../ports/index.ts'
import type { ReadSnapshot, NamedBucket } from '../reads/read-snapshot.ts'
import type { LifecycleConfiguration } from '../settings/lifecycle.ts'

/** Rules that are remembered, of all configurations together: a configuration has 1,000 at most, of a kilobyte each. */
const rulesMax = 4000

/**
 * When objects go by the rules of their buckets. What was read of a configuration is remembered for the event that set it, so it is
 * never stale, and reads that come at once share one.
 */
export class Expirations {
  readonly #day: number
  readonly #remembered = new Map<Seq, Promise<LifecycleConfiguration | undefined>>()
  #rules = 0

  /** @param day Milliseconds of a day of rules. */
  constructor(day: number) {
    this.#day = day
  }

  /** When a current object goes. Costs nothing where there are no rules. */
  async find(snapshot: ReadSnapshot, named: NamedBucket, object: JudgedObject): Promise<Expiration | undefined> {
    const setBy = named.row.settings?.Lifecycle
    if (setBy === undefined) return undefined
    const configuration = await (this.#remembered.get(setBy) ?? this.#read(snapshot, named, setBy))
    return configuration && expirationOf(configuration, object, this.#day)
  }

  #read(snapshot: ReadSnapshot, named: NamedBucket, setBy: Seq): Promise<LifecycleConfiguration | undefined> {
    const reading = snapshot.setting(named, 'Lifecycle')
    this.#remembered.set(setBy, reading)
    void reading.then(
      (configuration) => this.#keep(setBy, configuration),
      () => this.#remembered.delete(setBy),
    )
    return reading
  }

  #keep(setBy: Seq, configuration: LifecycleConfiguration | undefined): void {
    const count = configuration?.rules.length ?? 0
    if (this.#rules + count > rulesMax) {
      this.#remembered.clear()
      this.#rules = 0
      return
    }
    if (configuration === undefined) this.#remembered.delete(setBy)
    else this.#rules += count
  }
}

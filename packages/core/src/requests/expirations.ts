import { abortionOf, enabledRules, type Expiration, expirationOf, type JudgedObject } from '../lifecycle/expiration.ts'
import type { Seq } from '../ports/index.ts'
import type { ReadSnapshot, NamedBucket } from '../reads/read-snapshot.ts'
import type { LifecycleConfiguration } from '../settings/lifecycle.ts'

type Settings = Pick<ReadSnapshot, 'setting'>

/** How many rules the cache holds for all configurations. A configuration has at most 1,000, of a kilobyte each. */
const rulesMax = 4000

/**
 * Finds when lifecycle rules remove objects. A configuration is cached under the event that set it, so the cache is
 * never stale. Simultaneous finds share one read.
 */
export class Expirations {
  readonly #day: number
  readonly #remembered = new Map<Seq, Promise<LifecycleConfiguration | undefined>>()
  #rules = 0

  /** @param day The length of a day in lifecycle rules, in milliseconds. */
  constructor(day: number) {
    this.#day = day
  }

  /** When a current object expires. Costs nothing for a bucket without rules. */
  async find(settings: Settings, named: NamedBucket, object: JudgedObject): Promise<Expiration | undefined> {
    const configuration = await this.#configuration(settings, named)
    return configuration && expirationOf(configuration, object, this.#day)
  }

  /** When an upload in progress is aborted. Costs nothing for a bucket without rules. */
  async findAbortion(
    settings: Settings,
    named: NamedBucket,
    upload: Pick<JudgedObject, 'key' | 'at'>,
  ): Promise<Expiration | undefined> {
    const configuration = await this.#configuration(settings, named)
    return configuration && abortionOf(enabledRules(configuration), upload, this.#day)
  }

  async #configuration(settings: Settings, named: NamedBucket): Promise<LifecycleConfiguration | undefined> {
    const setBy = named.row.settings?.Lifecycle
    return setBy === undefined ? undefined : (this.#remembered.get(setBy) ?? this.#read(settings, named, setBy))
  }

  #read(snapshot: Settings, named: NamedBucket, setBy: Seq): Promise<LifecycleConfiguration | undefined> {
    const reading = Promise.resolve(snapshot.setting(named, 'Lifecycle'))
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

/** The buckets that have access logs, as a server believes for a few seconds. */
import { isStorageError, type LoggingConfiguration, type RequestStore } from '@varve/core'
import type { LoggedPlace } from './access-line.ts'

export interface LoggedBucket extends LoggedPlace {
  readonly target: LoggingConfiguration
}

type Known = LoggedBucket | undefined

interface Entry {
  readonly until: number
  readonly found: Known | Promise<Known>
}

/** S3 promises even less: a change of the setting takes effect in time. */
const believedMs = 10_000
const bucketsMax = 1000

export class LoggedBuckets {
  readonly #store: Pick<RequestStore, 'buckets'>
  readonly #entries = new Map<string, Entry>()

  constructor(store: Pick<RequestStore, 'buckets'>) {
    this.#store = store
  }

  /** `undefined` for a bucket without access logs. A promise only if the store must be read. */
  find(bucket: string): Known | Promise<Known> {
    const now = performance.now()
    const entry = this.#entries.get(bucket)
    if (entry !== undefined && now < entry.until) return entry.found
    if (this.#entries.size >= bucketsMax) this.#entries.clear()
    const until = now + believedMs
    const found = this.#read(bucket).catch(() => undefined)
    this.#entries.set(bucket, { until, found })
    void found.then((known) => {
      if (this.#entries.get(bucket)?.found === found) this.#entries.set(bucket, { until, found: known })
    })
    return found
  }

  /** The setting has changed. */
  forget(bucket: string): void {
    this.#entries.delete(bucket)
  }

  async #read(bucket: string): Promise<Known> {
    try {
      const target = await this.#store.buckets.settings.get(bucket, 'Logging')
      if (target === undefined) return undefined
      const { owner, region } = await this.#store.buckets.head(bucket)
      return { bucket, owner: owner.id, region, target }
    } catch (error) {
      if (isStorageError(error)) return undefined
      throw error
    }
  }
}

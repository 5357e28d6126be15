/**
 * Calls an observer. The calls are queued and made together a little later, so that callers, locks and answers do not
 * wait for a slow observer. What the observer does, or throws, has no effect on the store.
 */
import { callListener } from '../base/call-listener.ts'
import { isStorageError } from '../base/errors.ts'
import type { CacheObservation, Observer } from '../ports/index.ts'
import { CacheTally } from './cache-tally.ts'
import { countObserverError } from './observer-errors.ts'

/** What observing itself uses. */
export interface ObservingOptions {
  /** Receives the first error of each method of the observer. */
  readonly warn: (error: unknown) => void
  /** A monotonic clock, in milliseconds from any start. */
  readonly now: () => number
  /** Resolves after so many milliseconds. If absent, calls follow as soon as the running code ends. */
  readonly pause?: ((ms: number) => Promise<unknown>) | undefined
}

/** An immediate after each commit or request would make the event loop poll the network more often than its work needs. */
const gatheredMs = 10

type Report<M extends keyof Observer> = (observation: Parameters<NonNullable<Observer[M]>>[0]) => void
type Method = (observation: unknown) => unknown

/** A method of an observer, and what receives its errors. */
interface Target {
  readonly method: Method
  readonly failed: (error: unknown) => void
}

/** An observer in use by a store or a server. A method that the observer lacks is `undefined`. */
export class Observing {
  readonly now: () => number
  readonly commit: Report<'commit'> | undefined
  readonly sync: Report<'sync'> | undefined
  readonly request: Report<'request'> | undefined
  readonly job: Report<'job'> | undefined
  readonly queue: Report<'queue'> | undefined
  readonly healing: Report<'healing'> | undefined
  readonly connections: Report<'connections'> | undefined
  readonly #cache: Report<'cache'> | undefined
  readonly #options: ObservingOptions
  readonly #tallies: CacheTally[] = []
  /** The targets and the observations of the calls to make, one after the other in the same order. */
  #targets: Target[] = []
  #observations: unknown[] = []
  readonly #observer: Observer

  constructor(observer: Observer, options: ObservingOptions) {
    this.#options = options
    this.#observer = observer
    this.now = options.now
    this.commit = this.#reportTo('commit')
    this.sync = this.#reportTo('sync')
    this.request = this.#reportTo('request')
    this.job = this.#reportTo('job')
    this.queue = this.#reportTo('queue')
    this.healing = this.#reportTo('healing')
    this.connections = this.#reportTo('connections')
    this.#cache = this.#reportTo('cache')
  }

  /** Counts the lookups in a cache; `undefined` if the observer has no interest in caches. */
  tally(name: CacheObservation['name']): CacheTally | undefined {
    if (this.#cache === undefined) return undefined
    const tally = new CacheTally(name, this.#cache)
    this.#tallies.push(tally)
    return tally
  }

  reportCaches(): void {
    for (const tally of this.#tallies) tally.report()
  }

  /** Makes all calls now: nothing more follows, unless more is measured. */
  end(): void {
    this.reportCaches()
    this.#callAll()
  }

  #reportTo<M extends keyof Observer>(name: M): Report<M> | undefined {
    const failed = (error: unknown): void => {
      if (countObserverError(this.#observer, name) > 1) return
      callListener(
        () => this.#options.warn(error),
        () => undefined,
      )
    }
    const method = methodOf(this.#observer, name, failed)
    if (method === undefined) return undefined
    const target = { method, failed }
    return (observation) => {
      this.#observations.push(observation)
      if (this.#targets.push(target) === 1) void this.#later()
    }
  }

  async #later(): Promise<void> {
    try {
      await this.#options.pause?.(gatheredMs)
    } catch {
      // Without a pause the calls only come earlier.
    }
    this.#callAll()
  }

  #callAll(): void {
    const [targets, observations] = [this.#targets, this.#observations]
    this.#targets = []
    this.#observations = []
    targets.forEach(({ method, failed }, at) => {
      callListener(() => Reflect.apply(method, this.#observer, [observations[at]]), failed)
    })
  }
}

/** A getter may throw, though it did not when the observer was checked. */
function methodOf(observer: Observer, name: keyof Observer, failed: Target['failed']): Method | undefined {
  try {
    const method: unknown = observer[name]
    return typeof method === 'function' ? (method as Method) : undefined
  } catch (error) {
    failed(error)
    return undefined
  }
}

/** The code of an error as observers receive it. Its text may contain names of clients, so it is left out. */
export const observedCode = (error: unknown): string => (isStorageError(error) ? error.code : 'InternalError')

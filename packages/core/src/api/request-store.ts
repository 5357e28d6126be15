/** The part of a store that answers requests, in the owner's process or in a worker. */
import { isStorageError } from '../base/errors.ts'
import { checked } from '../schema/schema.ts'
import { moment } from './arguments/common.ts'
import { storeContext, tracked } from './arguments/log-options.ts'
import type { StoreTime } from '../time/store-clock.ts'
import { type Buckets, buckets, type ReadBuckets, readBuckets } from './buckets.ts'
import { withCallerFrames } from './caller-frames.ts'
import type { IdleRead } from '../content/open-reads.ts'
import type { Tracked, ReadScope } from '../requests/read-scope.ts'
import type { StoreContext } from '../requests/request-context.ts'
import { RequestEngine, type RequestPorts } from '../requests/request-engine.ts'
import type { Moment } from '../moments/moment.ts'
import type { LogService, StoreState } from '../requests/log-service.ts'
import { type Objects, objects } from './objects.ts'
import { type PastStore, pastStore } from './past-store.ts'
import { type ReadObjects, readObjects } from './read-objects.ts'
import { checkStoreOptions, checkWholeNumber, type StoreOptions } from '../engine/store-options.ts'
import { type TrackedReads, TrackingReads } from './tracked-reads.ts'
import { type Uploads, uploads } from './uploads.ts'
import { type Versions, versions } from './versions.ts'

/** The part of a store that every process with a connection to its log has, workers included. */
export interface RequestStore {
  readonly buckets: Buckets
  readonly objects: Objects
  readonly versions: Versions
  readonly uploads: Uploads
  /**
   * `failed` after a write whose outcome is unknown: reads still work, writes are refused with `StoreFailed`. Also
   * `failed` when the log was damaged while the store was open: then reads are refused too.
   */
  readonly state: StoreState
  /** The code of the error that made the store fail, such as `AcknowledgedWritesLost`; `undefined` while it is open. */
  readonly failureCode?: string | undefined
  /**
   * Ends object bodies that were not read from for `idleMs` milliseconds, and returns them. An open body holds a file
   * handle and prevents its bytes from being erased. Call this several times in that period.
   */
  expireReads(idleMs: number): Promise<readonly IdleRead[]>
  /** The time of the store. Only the owner's process has it. */
  readonly clock?: StoreTime
  /**
   * The store as it was at a moment: after an event, or at a time.
   * @throws StorageError `MomentOutOfRange` for a position after the end of the log, a time in the future and a time
   *   before the first event; `NoSuchSnapshot`; `InvalidArgument` for anything that is no moment.
   */
  at(moment: Moment): Promise<PastStore>
  /** The same store with another caller. */
  as(context: StoreContext): RequestStore
  /** Reads that add their rows to `into`. The caller makes the read set of an `Authorisation` from these rows. */
  tracking(into: Tracked): TrackedReads
}

/** Answers requests for a log that another process owns. @throws StorageError `InvalidArgument` for invalid options */
export function openRequestStore(owner: LogService, ports: RequestPorts, options: StoreOptions = {}): RequestStore {
  const { actor, region, inlineMax, lifecycleDayMs } = checkStoreOptions(options)
  return new RequestEngineStore(new RequestEngine(owner, ports, { inlineMax, lifecycleDayMs }), { by: actor }, region)
}

/** The parts that do not depend on the context. Each is created on first use. */
class Reads {
  readonly #scope: ReadScope
  #buckets: ReadBuckets | undefined
  #objects: ReadObjects | undefined

  constructor(scope: ReadScope) {
    this.#scope = scope
  }

  get buckets(): ReadBuckets {
    return (this.#buckets ??= readBuckets(this.#scope))
  }

  get objects(): ReadObjects {
    return (this.#objects ??= readObjects(this.#scope))
  }
}

/**
 * A server creates one for every request. It is a class, because unused accessors cost nothing, and each part is
 * created only on first use.
 */
export class RequestEngineStore implements RequestStore {
  readonly #requests: RequestEngine
  readonly #context: StoreContext
  readonly #region: string
  readonly #reads: Reads
  #buckets: Buckets | undefined
  #objects: Objects | undefined
  #versions: Versions | undefined
  #uploads: Uploads | undefined

  constructor(requests: RequestEngine, context: StoreContext, region: string, reads?: Reads) {
    this.#requests = requests
    this.#context = context
    this.#region = region
    this.#reads = reads ?? new Reads({ requests, context, mayBeOld: true })
  }

  get buckets(): Buckets {
    return (this.#buckets ??= this.#called(buckets(this.#reads.buckets, this.#requests, this.#context, this.#region)))
  }

  get objects(): Objects {
    return (this.#objects ??= this.#called(objects(this.#reads.objects, this.#requests, this.#context)))
  }

  get versions(): Versions {
    return (this.#versions ??= this.#called(
      versions({ requests: this.#requests, context: this.#context, mayBeOld: true }, this.objects),
    ))
  }

  get uploads(): Uploads {
    return (this.#uploads ??= this.#called(uploads(this.#requests, this.#context)))
  }

  /** Adds the caller's frames to errors for a program that embeds the store. A server saves their cost. */
  #called<T extends object>(methods: T): T {
    return isOwners(this.#context) ? withCallerFrames(methods) : methods
  }

  get state(): StoreState {
    return this.#requests.owner.state
  }

  get failureCode(): string | undefined {
    const { failure } = this.#requests.owner
    const { state } = this
    if (failure === undefined || state !== 'failed') return undefined
    return isStorageError(failure.cause) ? failure.cause.code : failure.code
  }

  async expireReads(idleMs: number): Promise<readonly IdleRead[]> {
    checkWholeNumber('idleMs', idleMs, { min: 0, max: Number.MAX_SAFE_INTEGER })
    return this.#requests.openReads.expire(idleMs)
  }

  async at(given: Moment): Promise<PastStore> {
    return pastStore(this.#requests, this.#context, checked('moment', moment, given))
  }

  as(context: StoreContext): RequestStore {
    const next = checked('context', storeContext, context)
    const reads = isOwners(this.#context) && isOwners(next) ? this.#reads : undefined
    return new RequestEngineStore(this.#requests, next, this.#region, reads)
  }

  tracking(into: Tracked): TrackedReads {
    return new TrackingReads(this.#requests, checked('into', tracked, into))
  }
}

/** Callers without an authorisation can share the same reads. */
const isOwners = ({ authorisation }: StoreContext): boolean => authorisation === undefined

/** The background work of an open store: which jobs run, when each last ran, and its last error. */
import { StorageError } from '../base/errors.ts'
import type { Observing } from '../observing/observing.ts'
import type { Clock, Seq } from '../ports/index.ts'
import type { Sharing } from '../sharing/sharing.ts'
import { type JobName, jobNames } from './job-name.ts'
import { type JobPlacePorts, JobPlaces } from './job-places.ts'
import { type JobPins, type ReplicaPin, ReplicaPins } from './replica-pins.ts'
import { watchJob } from './watch-job.ts'

/** A background job: whether it runs, its last run and its last error. */
export interface JobStatus {
  /**
   * `erasure`, `deleted-buckets`, `orphans`, `lifecycle`, `scrub`, `access-logs` or `log-files` (once it ran), or
   * `delivery` and the ARN of a webhook, `replication`, `proof` or `following` and the address of a replica, or `filling`.
   */
  readonly name: string
  /** Present while the job runs in this process, which then holds the lease of the job among all engines on the log. */
  readonly lease?: { readonly since: Date }
  /** The last run that ended, with or without an error. */
  readonly lastRun?: { readonly startedAt: Date; readonly endedAt: Date }
  /** The last error of a run, or of one attempt in it. A later success does not remove it. */
  readonly lastError?: { readonly at: Date; readonly error: unknown }
  /** How far a job that follows the log has come. Absent for other jobs, and before its first run. */
  readonly progress?: JobProgress
  /** What this process keeps for a replica that the job writes. Absent for other jobs. */
  readonly pinned?: JobPins
}

/** How far a job has followed the log. */
export interface JobProgress {
  /** The last event that it has handled. */
  readonly position: Seq
  /** The last event that there was then. */
  readonly head: Seq
  /** Since when there have been events that it has not handled. Absent if it has handled all. */
  readonly behindSince?: Date
}

type Writable<T> = { -readonly [K in keyof T]: T[K] }

interface Job extends Omit<Writable<JobStatus>, 'lease' | 'pinned'> {
  /** The start times of the current runs. */
  readonly runs: Set<{ readonly since: Date }>
}

interface JobPorts extends JobPlacePorts {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
}

/** The background work of one opening: its runs, its errors, and the signal that ends it. */
export class Jobs {
  /** What jobs remember, whichever engine runs them next. */
  readonly places: JobPlaces
  /** What stays because replicas may lack it. */
  readonly pins: ReplicaPins
  readonly #clock: Pick<Clock, 'now'>
  readonly #sharing: Pick<Sharing, 'alone'>
  readonly #observing: Observing | undefined
  readonly #end = new AbortController()
  readonly #jobs = new Map<string, Job>(jobNames.map((name) => [name, { name, runs: new Set() }]))
  readonly #underWay = new Set<Promise<unknown>>()

  constructor(
    ports: JobPorts,
    sharing: Pick<Sharing, 'alone' | 'isShared'>,
    { observing, pins }: { readonly observing?: Observing | undefined; readonly pins?: readonly ReplicaPin[] } = {},
  ) {
    this.places = new JobPlaces(ports)
    this.pins = new ReplicaPins({ places: this.places, clock: ports.clock, isShared: sharing.isShared }, pins)
    this.#clock = ports.clock
    this.#sharing = sharing
    this.#observing = observing
  }

  get list(): readonly JobStatus[] {
    return [...this.#jobs.values()].map(({ runs, ...status }) => {
      const [first] = runs
      const pinned = this.pins.status(status.name)
      return { ...status, ...(first && { lease: { since: first.since } }), ...(pinned && { pinned }) }
    })
  }

  /** Aborts when the store closes. */
  get signal(): AbortSignal {
    return this.#end.signal
  }

  /**
   * Aborts when `given` does, and when the store closes.
   * @throws StorageError `InvalidArgument` for a signal of another realm
   */
  signalWith(given: AbortSignal | undefined): AbortSignal {
    if (given === undefined) return this.#end.signal
    try {
      return AbortSignal.any([given, this.#end.signal])
    } catch {
      throw new StorageError('InvalidArgument', 'options.signal must be an AbortSignal of this runtime.', {
        details: { ArgumentName: 'options.signal' },
      })
    }
  }

  /**
   * Runs a job once, when no other engine on the log runs it, and records the run. The store waits for it before it
   * closes. Runs of one job in this process may overlap.
   * @throws StorageError `LeaseHeld` if another engine runs it, and the store has no timer to wait with
   */
  run<T>(name: JobName, work: () => Promise<T>): Promise<T> {
    return this.during(this.#sharing.alone(name, () => this.#watched(name, work), this.#end.signal))
  }

  /** Waits for the lease of a job, and does with it what is not a run: such as looking whether one is due. */
  alone<T>(name: JobName, work: () => Promise<T>): Promise<T> {
    return this.during(this.#sharing.alone(name, work, this.#end.signal))
  }

  /** As `run`, for a job that changes nothing and so may run in several engines at once. */
  runBeside<T>(name: JobName, work: () => Promise<T>): Promise<T> {
    return this.during(this.#watched(name, work))
  }

  /** Records an error that does not end the job. */
  noteError(name: JobName, error: unknown): void {
    this.#job(name).lastError = { at: this.#now(), error }
  }

  /** Records how far a job has come in the log, of which `head` is the end. */
  noteProgress(name: JobName, { position, head }: Pick<JobProgress, 'position' | 'head'>): void {
    const job = this.#job(name)
    const behindSince = position < head && (job.progress?.behindSince ?? this.#now())
    job.progress = { position, head, ...(behindSince && { behindSince }) }
  }

  /** Adds work that the store waits for when it closes. */
  during<T>(work: Promise<T>): Promise<T> {
    const settled = work
      .then(
        () => undefined,
        () => undefined,
      )
      .finally(() => this.#underWay.delete(settled))
    this.#underWay.add(settled)
    return work
  }

  /** Aborts the jobs, and waits for the end of all work. */
  async stop(): Promise<void> {
    this.#end.abort(new StorageError('StoreClosed', 'The store is closed.'))
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
  }

  #watched<T>(name: JobName, work: () => Promise<T>): Promise<T> {
    return watchJob(this.#observing, { name, signal: this.signal }, () => this.#recorded(name, work))
  }

  async #recorded<T>(name: JobName, work: () => Promise<T>): Promise<T> {
    const job = this.#job(name)
    const run = { since: this.#now() }
    job.runs.add(run)
    try {
      return await work()
    } catch (error) {
      if (!this.#end.signal.aborted) this.noteError(name, error)
      throw error
    } finally {
      job.runs.delete(run)
      job.lastRun = { startedAt: run.since, endedAt: this.#now() }
    }
  }

  #job(name: JobName): Job {
    const job: Job = this.#jobs.get(name) ?? { name, runs: new Set() }
    this.#jobs.set(name, job)
    return job
  }

  #now(): Date {
    return new Date(this.#clock.now())
  }
}

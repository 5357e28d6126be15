/** Follows a replica while a store is open, until the store is promoted. */
import { hostname } from 'node:os'
import { nodeHashing, randomIds } from '@varve/adapters'
import {
  type Actor,
  type BlobId,
  Follower,
  type FollowerStore,
  LostWatch,
  notBegun,
  onAbort,
  promoteAlone,
  type PromoteOptions,
  type Promotion,
  type StorePorts,
} from '@varve/core'
import { rest } from '../jobs/rest.ts'
import { restAfter, restLongest } from '../jobs/rest-after.ts'
import type { FollowSchedule } from './follow-settings.ts'
import type { OpenReplica } from './replica-address.ts'
import { writerIdOf } from './writer-id.ts'

/** A writer that has claimed the replica begins sooner than this, unless it was cut off. */
const claimPatienceMs = 10_000

interface FollowingOptions {
  readonly opened: FollowerStore
  readonly ports: Pick<StorePorts, 'journal' | 'blobs'>
  readonly schedule: FollowSchedule
  /** What the first copy did not find. */
  readonly absent: readonly BlobId[]
  /** Starts the work of an owner. */
  own(): void
}

interface Open {
  readonly replica: OpenReplica
  readonly follower: Follower
  readonly lost: LostWatch
}

export class Following {
  readonly #options: FollowingOptions
  readonly #name: `following ${string}`
  #opening: Promise<Open> | undefined
  #awaitedSince: number | undefined
  /** Aborts when the store is closed or promoted. */
  readonly #ending = new AbortController()

  constructor(options: FollowingOptions) {
    this.#options = options
    this.#name = `following ${options.schedule.place.name}`
  }

  /** Resolves when the store is closed or promoted. Why it does not follow is in the status of the job. */
  async run(): Promise<void> {
    const { jobs, log } = this.#options.opened
    const { signal } = jobs
    const { schedule } = this.#options
    const end = (): void => {
      this.#ending.abort(signal.reason)
      // Ends requests that are on their way.
      void this.#close()
    }
    if (signal.aborted) end()
    else onAbort(signal, end)
    let failures = 0
    while (!signal.aborted && log.isFollowing) {
      try {
        await jobs.run(this.#name, () => this.#follow(() => (failures = 0)))
      } catch (error) {
        if (!signal.aborted && log.isFollowing && failures++ === 0)
          schedule.onFailure({ to: schedule.place.name, error, isTriedAgain: true })
        await restAfter(failures, signal)
      }
    }
    await this.#close()
  }

  async #follow(onSuccess: () => void): Promise<void> {
    const { jobs, log, store } = this.#options.opened
    const { follower, lost } = await this.#open()
    while (!jobs.signal.aborted && log.isFollowing && store.state === 'open') {
      const hasMore = await follower.step((head) => this.#note(follower, head))
      if (!hasMore) await this.#noteLost(lost)
      this.#note(follower, follower.position)
      this.#assertBegun(follower)
      onSuccess()
      if (!hasMore) await rest(this.#options.schedule.everyMs, this.#ending.signal)
    }
    if (store.state === 'failed') await restLongest(jobs.signal)
  }

  async #noteLost(lost: LostWatch): Promise<void> {
    const error = await lost.look()
    if (error !== undefined) this.#options.opened.jobs.noteError(this.#name, error)
  }

  #note({ position }: Follower, head: number): void {
    this.#options.opened.jobs.noteProgress(this.#name, { position, head: Math.max(position, head) })
  }

  #assertBegun({ awaited }: Follower): void {
    const now = performance.now()
    this.#awaitedSince = awaited && (this.#awaitedSince ?? now)
    if (awaited !== undefined && now - (this.#awaitedSince ?? now) > claimPatienceMs) throw notBegun(awaited)
  }

  #open(): Promise<Open> {
    this.#opening ??= this.#openNow().catch((error: unknown) => {
      this.#opening = undefined
      throw error
    })
    return this.#opening
  }

  async #openNow(): Promise<Open> {
    const { opened, ports, schedule, absent } = this.#options
    const replica = await schedule.place.open({ create: false })
    const { log } = opened
    const { hashing } = replica
    const lost = new LostWatch({ journal: ports.journal, hashing })
    lost.add(absent)
    const about = {
      log,
      ...ports,
      replica,
      name: schedule.place.name,
      hashing,
      ids: randomIds,
      signal: this.#ending.signal,
      onAbsent: (ids: readonly BlobId[]) => lost.add(ids),
    }
    return { replica, follower: new Follower(about), lost }
  }

  async #close(): Promise<void> {
    const opening = this.#opening
    this.#opening = undefined
    await opening?.then(({ replica }) => replica.close()).catch(() => undefined)
  }

  /** @throws StorageError as `promote` of a store: then the store follows on */
  async promote({ takeOver = false, withoutReplica = false }: PromoteOptions, by: Actor): Promise<Promotion> {
    const { opened, schedule, own } = this.#options
    const { log, jobs } = opened
    const replica = schedule.place.name
    const writer = { id: await writerIdOf(jobs, replica), name: `process ${process.pid} on ${hostname()}` }
    const { event, deposed } = withoutReplica
      ? await promoteAlone({ log, hashing: await nodeHashing(), ids: randomIds, name: replica }, by).then((begun) => ({
          event: begun,
          deposed: undefined,
        }))
      : await (await this.#open()).follower.promote({ writer, at: Date.now(), takeOver, by })
    this.#ending.abort()
    own()
    schedule.onPromoted()
    return { seq: event.seq, epoch: event.data.epoch, replica, ...(deposed && { deposed }) }
  }
}

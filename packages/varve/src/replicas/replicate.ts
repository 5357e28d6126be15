/** Writes a replica of an open store while it is open: what is new, at intervals. One of several engines on a log does it. */
import { hostname } from 'node:os'
import { randomIds } from '@varve/adapters'
import {
  type Copied,
  isStorageError,
  type Jobs,
  LiveParts,
  LostWatch,
  onAbort,
  openedParts,
  ReplicaErasure,
  ReplicaOrphans,
  type ReplicaState,
  Replicator,
  ReplicaUpkeep,
  ReplicaViews,
  type Seq,
  type Store,
  tapCommits,
} from '@varve/core'
import { rest } from '../jobs/rest.ts'
import { restAfter } from '../jobs/rest-after.ts'
import { Background } from './background.ts'
import { ErasureReports } from './erasure-reports.ts'
import { pacedReplica } from './paced-replica.ts'
import type { OpenReplica } from './replica-address.ts'
import { jobOf, type ReplicaSchedule } from './replica-settings.ts'
import { writerIdOf } from './writer-id.ts'

/** How long the end of a store waits for what is new to be written. */
const lastMs = 10_000
/** How often a writer without anything new looks whether it was deposed. */
const heldEveryMs = 5000
/** Trying again changes nothing about these. */
const final = ['ReplicaHeld', 'ReplicaDiverged', 'NotImplemented', 'UnsupportedFormat', 'InvalidArgument'] as const

/** Resolves when the signal aborts, the store is closed, or the replica belongs to another writer. Why is in the status of the job. */
export async function replicate(store: Store, schedule: ReplicaSchedule, jobs: Jobs): Promise<void> {
  const { signal } = jobs
  const name = jobOf(schedule)
  schedule.gate?.begin()
  let failures = 0
  while (!signal.aborted && store.state !== 'closed') {
    const replicating = new Replicating(store, schedule, jobs)
    try {
      if (store.state === 'open') await jobs.run(name, () => cutOff(replicating.run(), signal))
    } catch (error) {
      if (replicating.hasWritten) failures = 0
      const isTriedAgain = !isStorageError(error, ...final)
      if (!signal.aborted && (failures++ === 0 || !isTriedAgain))
        schedule.onFailure({ to: schedule.place.name, error, isTriedAgain })
      schedule.deposition.by(error)
      if (!isTriedAgain) {
        schedule.gate?.giveUp()
        break
      }
    }
    await restAfter(failures, signal)
  }
  schedule.erasures.end()
}

/** As `work`, but it ends a while after the signal: a target that does not answer must not keep the store from closing. */
async function cutOff(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const ended = new AbortController()
  let unlisten = (): void => undefined
  const late = new Promise<void>((resolve) => {
    const begin = (): void => void rest(lastMs, ended.signal).then(resolve)
    if (signal.aborted) begin()
    else unlisten = onAbort(signal, begin)
  })
  try {
    await Promise.race([work, late])
  } finally {
    unlisten()
    ended.abort()
    // What fails later is of no use to anyone.
    work.catch(() => undefined)
  }
}

class Replicating {
  readonly #store: Store
  readonly #schedule: ReplicaSchedule
  readonly #jobs: Jobs
  readonly #name: `replication ${string}`
  /** When the replica was last known to be held. */
  #heldAt = performance.now()
  /** Whether the replica could be written. */
  hasWritten = false

  constructor(store: Store, schedule: ReplicaSchedule, jobs: Jobs) {
    this.#store = store
    this.#schedule = schedule
    this.#jobs = jobs
    this.#name = jobOf(schedule)
  }

  async run(): Promise<void> {
    const { signal } = this.#jobs
    const opened = await this.#schedule.place.open({ create: true })
    const { bytesPerSecond } = this.#schedule
    const replica = bytesPerSecond === undefined ? opened : pacedReplica(opened, bytesPerSecond, signal)
    // Ends requests that are on their way.
    const cut = (): void => void setTimeout(() => void replica.close().catch(() => undefined), lastMs).unref()
    const unlisten = onAbort(signal, cut)
    const live = new LiveParts(replica)
    const untap = tapCommits(this.#store, (commit) => live.add(commit))
    try {
      await this.#write(replica, live)
    } finally {
      untap()
      unlisten()
      await replica.close()
    }
  }

  async #write(replica: OpenReplica, live: LiveParts): Promise<void> {
    const { signal } = this.#jobs
    const { replicator, state } = await Replicator.begin({
      from: openedParts(this.#store),
      into: replica,
      hashing: replica.hashing,
      writer: {
        id: await writerIdOf(this.#jobs, this.#schedule.place.name),
        name: `process ${process.pid} on ${hostname()}`,
      },
      claim: randomIds.next(),
      at: Date.now(),
      takeOver: this.#schedule.takeOver,
      live,
    })
    this.hasWritten = true
    const { upkeep, erasure, orphans, views } = await this.#upkeep(replica, replicator, state)
    const lost = new LostWatch({ journal: openedParts(this.#store).journal, hashing: replica.hashing })
    const reports = new ErasureReports(this.#schedule.erasures, (upTo) =>
      this.#jobs.pins.reportErased(this.#name, upTo),
    )
    const erase = async (): Promise<void> => {
      await erasure.run()
      await reports.advance(erasure.removedUpTo)
    }
    const tidying = new Background(async (ending) => {
      // Files may come as fast as they are joined.
      while (!ending.aborted && (await upkeep.merge())) await erase()
      if (!ending.aborted) await erase()
      // A listing that fails is no reason not to copy.
      if (!ending.aborted) await orphans?.step().catch(undefinedIfFailed)
    })
    // Of a large store this takes minutes: files are joined meanwhile.
    const writingViews = new Background(async (ending) => void (await views?.step(ending).catch(undefinedIfFailed)))
    const beside = [tidying, writingViews]
    const begin = (): void => beside.forEach((work) => work.begin())
    const end = async (): Promise<unknown> => Promise.all(beside.map((work) => work.end()))
    const onCopied = (part: Copied): void => {
      upkeep.add(part)
      erasure.copied(part, part.hasRequests)
      if (part.hasRequests) reports.requested()
      lost.add(part.absentIds)
    }
    try {
      while (!signal.aborted && this.#store.state === 'open') {
        const { position } = replicator
        this.#schedule.erasures.begin()
        // Catching up can take hours.
        await this.#copyUp(replicator, (part) => (onCopied(part), begin()))
        await this.#noteLost(lost)
        await this.#assertHeld(replicator, position)
        begin()
        for (const work of beside) work.assertSound()
        await this.#untilNext(live)
      }
      if (this.#store.state !== 'failed') {
        await this.#copyUp(replicator, onCopied)
        // What was erased is not to wait in the replica until the store is opened again.
        await end()
        await erase()
      }
    } finally {
      await end()
      // A row that is too low only keeps more.
      await this.#jobs.pins.release(this.#name).catch(() => undefined)
    }
  }

  /** What is done beside the copying. */
  async #upkeep(replica: OpenReplica, replicator: Replicator, state: ReplicaState) {
    const upkeep = new ReplicaUpkeep({ ...replica, term: replicator.term }, state)
    const { keepErasedMs, viewsEvery } = this.#schedule
    const now = () => this.#store.clock.status().believed.getTime()
    const from = openedParts(this.#store)
    const removing = { from, into: replica, hashing: replica.hashing, replicator, upkeep, keepErasedMs, now }
    return {
      upkeep,
      erasure: await ReplicaErasure.begin(removing, state),
      orphans: state.hasLeft ? undefined : new ReplicaOrphans(removing),
      views: viewsEvery === 0 ? undefined : await ReplicaViews.begin({ ...removing, eventsMin: viewsEvery }),
    }
  }

  /** A file that was written shows that the replica is held. */
  async #assertHeld(replicator: Replicator, before: Seq): Promise<void> {
    const now = performance.now()
    const isIdle = replicator.position === before
    if (isIdle && now - this.#heldAt < heldEveryMs) return
    if (isIdle) await replicator.assertGoesOn()
    this.#heldAt = now
  }

  /** What is full is copied at once: only so much waits in memory. */
  async #untilNext(live: LiveParts): Promise<void> {
    const { everyMs, gate, erasures } = this.#schedule
    const ending = new AbortController()
    const pause = rest(everyMs, AbortSignal.any([this.#jobs.signal, ending.signal]))
    await Promise.race([pause, live.filled(), erasures.wanted(), ...(gate === undefined ? [] : [gate.wanted()])])
    ending.abort()
  }

  /** Copies what there is now. The store waits for its jobs when it is closed, so its last events can still be read then. */
  async #copyUp(replicator: Replicator, onCopied?: (part: Copied) => void): Promise<void> {
    const head = this.#store.seq
    const end = performance.now() + lastMs
    await this.#note(replicator, head)
    while (replicator.position < head && (!this.#jobs.signal.aborted || performance.now() < end)) {
      const part = await replicator.copy(head)
      onCopied?.(part)
      await this.#note(replicator, head)
    }
  }

  async #noteLost(lost: LostWatch): Promise<void> {
    const error = await lost.look()
    if (error !== undefined) this.#jobs.noteError(this.#name, error)
  }

  async #note({ position }: Replicator, head: Seq): Promise<void> {
    this.#schedule.gate?.advance(position, head)
    this.#jobs.noteProgress(this.#name, { position, head: Math.max(head, position) })
    await this.#jobs.pins.confirm(this.#name, position)
  }
}

function undefinedIfFailed(error: unknown): undefined {
  if (!isStorageError(error, 'BlobFailed', 'NoSpace', 'TooManyOpenFiles', 'JournalFailed')) throw error
}

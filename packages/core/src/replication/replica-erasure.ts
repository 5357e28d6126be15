/** Removes from a replica what the log says is erased, once the replica has the events that say so. */
import type { Hashing, Seq } from '../ports/index.ts'
import { type ErasureMark, readMark, type Removed, remembered, writeMark } from './erasure-mark.ts'
import { blobsIn, type ErasedBytes, ErasureScan } from '../events/erasure-scan.ts'
import type { LinePart } from './replica-line.ts'
import type { ReplicaPorts } from './replica-reader.ts'
import type { ReplicaState } from './replica-state.ts'
import type { ReplicaUpkeep } from './replica-upkeep.ts'
import type { ReplicatedStore, Replicator } from './replicator.ts'

export interface ErasingReplica {
  readonly from: ReplicatedStore
  readonly into: ReplicaPorts
  readonly hashing: Hashing
  readonly replicator: Pick<Replicator, 'position' | 'term' | 'assertGoesOn'>
  readonly upkeep: ReplicaUpkeep
  /** What sweeps have erased for longer is removed from the replica too, in milliseconds. Absent: it stays. */
  readonly keepErasedMs?: number | undefined
  /** The time of the log, in milliseconds since the Unix epoch. */
  now(): number
}

/** What sweeps erased is removed together, so that not each of them rewrites files: at the latest this share of its time later. */
const lateShare = 1 / 8

/** A mark is written after so many events at the latest: another writer begins there. */
const markEvery = 100_000

/** Removes from a replica what its log says is erased, piece by piece while the replica is written. */
export class ReplicaErasure {
  readonly #replica: ErasingReplica
  readonly #requests: ErasureScan
  readonly #sweeps: ErasureScan
  readonly #files: ReadonlySet<string>
  #removed: readonly Removed[]
  #nextSweepAt = Number.NEGATIVE_INFINITY
  #markedAt: Seq
  /** What was removed before this term was looked for again. */
  #isSettled = false
  #isWanted = true
  #removedUpTo: Seq = 0

  /** @throws StorageError `UnsupportedFormat`; what the target throws */
  static async begin(replica: ErasingReplica, state: ReplicaState): Promise<ReplicaErasure> {
    return new ReplicaErasure(replica, await readMark(replica.into.files, state.starts))
  }

  private constructor(replica: ErasingReplica, mark: ErasureMark) {
    this.#replica = replica
    const log = { journal: replica.from.journal, hashing: replica.hashing }
    this.#requests = new ErasureScan(log, mark.requested)
    this.#sweeps = new ErasureScan(log, mark.swept)
    this.#files = new Set(mark.files)
    this.#removed = mark.removed
    this.#markedAt = mark.requested
  }

  /** The replica has none of the bytes that were erased on purpose up to this event. */
  get removedUpTo(): Seq {
    return this.#removedUpTo
  }

  /** Events that were copied, and whether one of them may say that bytes are to go at once. */
  copied({ from, to }: Pick<LinePart, 'from' | 'to'>, isRequested: boolean): void {
    if (isRequested || this.#isWanted || this.#requests.hasOpen || this.#requests.position !== from - 1) {
      this.#isWanted = true
    } else this.#requests.position = to
  }

  /**
   * Removes what was erased on purpose and what no version ever had, and from time to time what sweeps erased long ago, as far as the replica has the events. An
   * interrupted call goes on with another one, also of another writer.
   * @throws StorageError `ReplicaHeld` if another writer took the replica over; `ReplicaCorrupt`, `LogCorrupt`; what the ports throw
   */
  async run(): Promise<void> {
    if (!this.#isSettled) await this.#settle()
    const to = this.#replica.replicator.position
    let isChanged = this.#requests.position - this.#markedAt >= markEvery
    if (this.#isWanted) {
      this.#isWanted = false
      while (this.#requests.position < to) {
        const erased = await this.#requests.next({ to, requested: true })
        if (erased.length === 0) continue
        await this.#remove(erased, true)
        isChanged = true
      }
    }
    if (await this.#expire(to)) isChanged = true
    if (isChanged) await this.#mark()
    this.#removedUpTo = this.#requests.position
  }

  /** Whether it is worth a mark. */
  async #expire(to: Seq): Promise<boolean> {
    const { keepErasedMs, now } = this.#replica
    if (keepErasedMs === undefined || now() < this.#nextSweepAt) return false
    const before = this.#sweeps.position
    let isRemoved = false
    const until = now() - keepErasedMs
    for (let last = -1; this.#sweeps.position !== last; ) {
      last = this.#sweeps.position
      const erased = await this.#sweeps.next({ to, until, requested: false })
      if (erased.length === 0) continue
      await this.#remove(erased, false)
      isRemoved = true
    }
    this.#nextSweepAt = now() + keepErasedMs * lateShare
    return isRemoved || this.#sweeps.position - before >= markEvery
  }

  /** Requests of earlier terms may have been carried out since, and have brought bytes back. */
  async #settle(): Promise<void> {
    await this.#replica.upkeep.deleteReplaced()
    const removed = this.#removed.filter(({ term }) => term < this.#replica.replicator.term)
    for (const term of new Set(removed.map((each) => each.term))) {
      const ofTerm = removed.filter((each) => each.term === term)
      await this.#take(ofTerm, (part) => part.term < term && !this.#files.has(part.name))
    }
    this.#isSettled = true
  }

  async #remove(erased: readonly ErasedBytes[], isRequested: boolean): Promise<void> {
    await this.#take(erased, () => true)
    const { term } = this.#replica.replicator
    this.#removed = remembered([...this.#removed, ...erased.map((each) => ({ ...each, isRequested, term }))])
  }

  async #take(
    erased: readonly Pick<ErasedBytes, 'id' | 'isBlob' | 'hasRows' | 'freedBy'>[],
    isSought: (part: LinePart) => boolean,
  ): Promise<void> {
    const { into, replicator, upkeep } = this.#replica
    const blobs = blobsIn(erased)
    const rows = erased.filter(({ hasRows }) => hasRows)
    const last = rows.reduce((latest, { freedBy }) => Math.max(latest, freedBy), 0)
    if (blobs.length > 0) {
      await replicator.assertGoesOn()
      await into.blobs.delete(blobs)
    }
    if (rows.length === 0) return
    await upkeep.withdraw(new Set(rows.map(({ id }) => id)), {
      isSought: (part) => part.from < last && isSought(part),
      beforeDeletion: () => replicator.assertGoesOn(),
    })
  }

  async #mark(): Promise<void> {
    const { into, replicator, upkeep } = this.#replica
    await writeMark(into.files, {
      term: replicator.term,
      requested: this.#requests.resumeAt,
      swept: this.#sweeps.resumeAt,
      removed: this.#removed,
      files: upkeep.names,
    })
    this.#markedAt = this.#requests.position
  }
}

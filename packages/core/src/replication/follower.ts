/** Follows a replica: applies what it gets, and is promoted in place of its writer. */
import { newEpoch } from '../api/begin-epoch.ts'
import { StorageError } from '../base/errors.ts'
import type { FollowedLog, ForeignEvent } from '../engine/followed-log.ts'
import { decodeEvent } from '../events/event-codec.ts'
import type { Actor, EpochBegun, RecordedEvent } from '../events/index.ts'
import { linkedPages } from '../events/log.ts'
import type { BlobId, BlobStore, Hashing, Ids, Journal, Seq, StoredEvent } from '../ports/index.ts'
import { PageBringer } from '../repair/bring-page.ts'
import { endFollowing } from '../sharing/passage.ts'
import { FollowerPurge } from './follower-purge.ts'
import { lookAgain, Looks } from './looks.ts'
import { diverged } from './replica-diverged.ts'
import { type ReplicaPorts, ReplicaReader } from './replica-reader.ts'
import { readReplicaState, type ReplicaState } from './replica-state.ts'
import { ReplicaTail } from './replica-tail.ts'
import { type Claim, type ClaimOptions, claimTerm, startTerm } from './terms.ts'

/** What a follower reads, and where it applies it. */
export interface FollowerOptions {
  readonly log: FollowedLog
  readonly journal: Pick<Journal, 'events' | 'purge'>
  /** The blobs of the store that follows. */
  readonly blobs: Pick<BlobStore, 'open' | 'write' | 'delete' | 'purge'>
  readonly replica: ReplicaPorts
  /** The address of the replica, without secrets. */
  readonly name: string
  readonly hashing: Hashing
  readonly ids: Ids
  readonly signal?: AbortSignal | undefined
  /** Called with bytes that the replica does not have: erased or lost. */
  onAbsent?(ids: readonly BlobId[]): void
}

/** Who promotes a store. */
export interface PromotionClaim extends Pick<ClaimOptions, 'writer' | 'at' | 'takeOver'> {
  readonly by: Actor
}

/** How a store was promoted. */
export interface Promoted {
  readonly event: RecordedEvent<'EpochBegun'>
  /** The writer that was deposed. Absent if the replica had none. */
  readonly deposed?: Pick<Claim, 'name' | 'term'>
}

/** A commit has not many more events or bytes than these. */
const eventsPerCommit = 256
const bytesPerCommit = 4 * 1024 * 1024

/** Applies what counts in a replica to the log that follows it, one batch for each step. */
export class Follower {
  readonly #options: FollowerOptions
  readonly #tail: ReplicaTail
  readonly #purge: FollowerPurge
  /** How often in a row a file was gone that was listed. */
  readonly #looks = new Looks()
  /** One step or promotion at a time. */
  #turn: Promise<unknown> = Promise.resolve()

  constructor(options: FollowerOptions) {
    const { replica, journal, hashing } = options
    this.#options = options
    this.#tail = new ReplicaTail(replica, { journal, hashing })
    this.#purge = new FollowerPurge(options)
  }

  /** The last event that was applied. */
  get position(): Seq {
    return this.#options.log.end.seq
  }

  /** A writer that has claimed the replica and has not begun to write: nothing newer is applied before it has. */
  get awaited(): Claim | undefined {
    return this.#tail.awaited
  }

  /** The last writer that was seen. */
  get writer(): Claim | undefined {
    return this.#tail.writer
  }

  /**
   * Applies what the replica has now. Resolves with whether there was anything. `onHead`: called with the end of it.
   * @throws StorageError `ReplicaDiverged`, `ReplicaCorrupt`, `LogCorrupt`, `BlobCorrupt` and the like: what was applied stays; what the
   * ports throw; the reason of the signal
   */
  step(onHead?: (head: Seq) => void): Promise<boolean> {
    return this.#inTurn(async () => {
      const isNew = await this.#step(onHead)
      await this.#purge.upTo(this.position)
      return isNew
    })
  }

  #inTurn<R>(work: () => Promise<R>): Promise<R> {
    const working = this.#turn.then(work)
    this.#turn = working.catch(() => undefined)
    return working
  }

  async #step(onHead: (head: Seq) => void = () => undefined): Promise<boolean> {
    const reader = await this.#tail.next(this.position)
    if (reader === undefined) return false
    onHead(reader.state.head)
    try {
      await this.#apply(reader)
    } catch (error) {
      this.#tail.forget()
      if (this.#looks.mayPass(error)) return true
      throw error
    }
    this.#looks.reset()
    return true
  }

  async #apply(reader: ReplicaReader): Promise<void> {
    const { log, blobs, hashing, signal } = this.#options
    const bringer = new PageBringer({ from: reader, into: blobs, hashing, signal })
    const commit = async (events: readonly ForeignEvent[]): Promise<void> => {
      const sideRows = await bringer.bring(events.map(({ event }) => event))
      await log.append({ events, sideRows }, signal)
    }
    const { onAbsent } = this.#options
    let page: ForeignEvent[] = []
    let bytes = 0
    for await (const events of this.#eventsOf(reader)) {
      signal?.throwIfAborted()
      page.push(...events)
      bytes += events.reduce((sum, { size }) => sum + size, 0)
      if (page.length < eventsPerCommit && bytes < bytesPerCommit) continue
      await commit(page)
      page = []
      bytes = 0
    }
    if (page.length > 0) await commit(page)
    onAbsent?.(bringer.brought.absentIds)
  }

  async *#eventsOf({ journal, state }: ReplicaReader): AsyncGenerator<readonly ForeignEvent[]> {
    const { hashing, log } = this.#options
    const { seq, hash } = log.end
    const decode = (stored: StoredEvent): ForeignEvent => ({ ...decodeEvent(hashing, stored), stored })
    for await (const page of linkedPages(journal, decode, { from: seq + 1, to: state.head })) {
      const [first] = page
      if (first?.event.seq === seq + 1 && first.event.prev !== hash) throw diverged('branch')
      yield page
    }
  }

  /**
   * Deposes the writer that was followed, applies all that it counted, and begins an epoch: the store takes commands when this resolves.
   * A call that was interrupted changes nothing but that the writer is deposed, and is repeated.
   * @throws StorageError `ReplicaHeld` if another writer than the one that was followed has the replica; as `step` does
   */
  promote(claim: PromotionClaim): Promise<Promoted> {
    return this.#inTurn(() => this.#promote(claim))
  }

  async #promote({ by, ...claiming }: PromotionClaim): Promise<Promoted> {
    const { replica, ids } = this.#options
    const seen = this.#tail.writer
    // What is damaged is found before the writer is deposed.
    while (await this.#step());
    await this.#withRest((reader) => this.#readAll(reader))
    const followed = seen ?? this.#tail.writer ?? this.#tail.awaited
    if (followed === undefined) throw emptyReplica()
    const claim = { ...claiming, claim: ids.next(), promotedFrom: followed.writer }
    const own = await claimTerm(replica.files, claim)
    const { starts: before } = await this.#withRest((reader) => this.#apply(reader))
    const { seq, hash } = this.#options.log.end
    await startTerm(replica.files, own, { from: seq + 1, prev: hash, before })
    const isOwn = followed.writer === claim.writer.id
    return {
      event: await promoteAlone(this.#options, by),
      ...(!isOwn && { deposed: { name: followed.name, term: followed.term } }),
    }
  }

  /**
   * Calls `work` if anything is behind the last event that was applied. Resolves with what is there. The writer before may still join files.
   * @throws StorageError `ReplicaDiverged`; `ReplicaCorrupt`, also for a damaged file at the end
   */
  #withRest(work: (reader: ReplicaReader) => Promise<void>): Promise<ReplicaState> {
    const { replica } = this.#options
    return lookAgain(async () => {
      const reader = new ReplicaReader(replica, await readReplicaState(replica))
      await this.#tail.assertContinued(this.position, reader)
      if (reader.end() > this.position) await work(reader)
      return reader.state
    })
  }

  /** Whether they count is not known while a writer has not begun, so they are not applied. */
  async #readAll(reader: ReplicaReader): Promise<void> {
    for await (const _ of this.#eventsOf(reader)) this.#options.signal?.throwIfAborted()
  }
}

/**
 * As `promote` of a follower, but nobody is deposed, and nothing is looked for: for a replica that is lost.
 * @throws StorageError as `FollowedLog.promote`
 */
export async function promoteAlone(
  { log, hashing, ids, name: source }: Pick<FollowerOptions, 'log' | 'hashing' | 'ids' | 'name'>,
  by: Actor,
): Promise<RecordedEvent<'EpochBegun'>> {
  const { seq, hash } = log.end
  const data: EpochBegun = { epoch: newEpoch(ids), from: { seq, hash }, reason: 'promoted', source }
  const rows = endFollowing(hashing, source)
  const { event } = await log.promote({ type: 'EpochBegun', data }, { by, requestId: ids.next() }, rows)
  return event as RecordedEvent<'EpochBegun'>
}

const emptyReplica = (): StorageError =>
  new StorageError('StoreNotFound', 'The replica has no writer and no event.', { details: { kind: 'empty' } })

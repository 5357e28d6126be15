/** The first copy of a store that follows a replica. What was interrupted goes on with another call. */
import type { Cancelable } from '../api/types/index.ts'
import { StorageError } from '../base/errors.ts'
import { bringViews } from '../engine/open-log.ts'
import { fromHex } from '../bytes/hex.ts'
import type { MoveTarget } from '../moving/places.ts'
import type { BlobId, Hashing, Ids } from '../ports/index.ts'
import { copyLog, type LogCopy } from '../repair/copy-log.ts'
import { bringCommonSecret } from '../sharing/common-secret.ts'
import { beginArrival, beginFollowing, passageOf, promotedFrom } from '../sharing/passage.ts'
import { Looks } from './looks.ts'
import type { ReplicaPorts } from './replica-reader.ts'
import { ReplicaTail } from './replica-tail.ts'
import type { Claim } from './terms.ts'

export interface FollowingArrival extends Cancelable, Pick<LogCopy, 'onProgress'> {
  /** The address of the replica, without secrets. */
  readonly name: string
  /** Called if the replica is needed: a store that follows already is opened without it. */
  replica(): Promise<ReplicaPorts>
  readonly into: MoveTarget
  readonly hashing: Hashing
  readonly ids: Ids
  /** Called with bytes that the replica does not have: erased or lost. */
  onAbsent?(ids: readonly BlobId[]): void
}

/**
 * Copies what the replica has into an empty place. Resolves with `promoted` for a store that followed and was promoted; otherwise it
 * follows, and `openFollower` opens it. It has a secret of its own, because no replica has one.
 * @throws StorageError `InvalidArgument` if there is another store; `StoreNotFound` for an empty replica; `ReplicaCorrupt`, `LogCorrupt`,
 * `BlobCorrupt` and the like; what the ports throw; the reason of `signal`
 */
export async function arriveToFollow(arrival: FollowingArrival): Promise<'following' | 'promoted'> {
  const { into, hashing, name } = arrival
  const ports = { journal: into.journal, hashing }
  if ((await passageOf(ports))?.state === 'following') return 'following'
  if ((await promotedFrom(ports)) !== undefined) return 'promoted'
  const wasBegun = await beginArrival(ports, { from: name, to: into.name })
  if (wasBegun) await into.blobs.discardUnfinished()
  await copyAll(arrival)
  await into.markReady?.()
  await beginFollowing(ports, name)
  return 'following'
}

/** The writer may join files that are about to be copied. */
async function copyAll(arrival: FollowingArrival): Promise<void> {
  const { journal } = arrival.into
  const looks = new Looks()
  for (;;) {
    const before = await journal.head()
    try {
      return await copyOnce(arrival)
    } catch (error) {
      if ((await journal.head()) > before) looks.reset()
      if (!looks.mayPass(error)) throw error
    }
  }
}

async function copyOnce({ name, replica, into, hashing, ids, onAbsent, ...how }: FollowingArrival): Promise<void> {
  const secret = fromHex(ids.next() + ids.next())
  await (into.bringSecret?.(secret) ?? bringCommonSecret({ journal: into.journal, hashing }, secret))
  const ports = await replica()
  const tail = new ReplicaTail(ports, { journal: into.journal, hashing })
  const from = await tail.next(await into.journal.head())
  if (tail.awaited !== undefined) throw notBegun(tail.awaited)
  // What an interrupted call has copied has no views yet.
  if (from !== undefined) {
    const { absentIds } = await copyLog({ ...how, from, into, hashing, to: from.end() })
    onAbsent?.(absentIds)
  } else await bringViews({ journal: into.journal, hashing })
  if ((await into.journal.head()) === 0) throw emptyReplica(name)
}

/** The error of a follower that waits for a writer. */
export const notBegun = ({ name: holder, term }: Claim): StorageError =>
  new StorageError(
    'ReplicaHeld',
    `${holder} has claimed the replica and has not begun to write it: nothing newer is applied before it has.`,
    { details: { kind: 'claimed', holder, term } },
  )

/** The error of a replica in which nothing was written. */
export const emptyReplica = (name: string): StorageError =>
  new StorageError('StoreNotFound', `The replica ${name} has no event.`, { details: { kind: 'empty' } })

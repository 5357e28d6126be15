/** Opens a store in a directory that follows a replica. */
import { resolve } from 'node:path'
import { hasStore, nodeHashing, randomIds } from '@varve/adapters'
import {
  arriveToFollow,
  type BlobId,
  type FollowingArrival,
  emptyReplica,
  openEngine,
  openFollower,
  type OpenOptions,
  ReplicaReader,
  readReplicaState,
  StorageError,
  type Store,
  type StoreHome,
  type StorePorts,
} from '@varve/core'
import { openListening } from '../control/open-listening.ts'
import { pathOf } from '../files/paths.ts'
import { Following } from '../replicas/following.ts'
import { type FollowSchedule, followSchedule, type FollowSettings } from '../replicas/follow-settings.ts'
import { type OpenReplica, replicaAt, withKeys } from '../replicas/replica-address.ts'
import { assertReplicaTargets, assertStoreTarget } from '../replicas/replica-targets.ts'
import type { Background } from './background.ts'
import { openDirectory, withWork } from './open-directory.ts'
import type { OpenStoreOptions } from './store-options.ts'

/**
 * The first opening copies what the replica has; one that was interrupted goes on with the next. A store that was promoted is opened as
 * an ordinary one.
 * @param options Checked options. `isOwned`: false for a command, which does no work of an owner after a promotion.
 * @throws as `openStore` does; StorageError `InvalidArgument` if another store is there; `ReplicaCorrupt`, `BlobCorrupt` and the like; what
 * the target of the replica throws
 */
export async function openFollowing(
  dir: string,
  options: OpenStoreOptions,
  settings: FollowSettings | string,
  { isOwned = true }: { readonly isOwned?: boolean } = {},
): Promise<Store> {
  const given = followSchedule(settings)
  const { from: to, everyMs } = given
  const { controlSocket = true, auditLog, replicas = [{ to, everyMs }] } = options
  const path = resolve(pathOf('dir', dir))
  // A promotion must not depend on a replica that is lost.
  if (isOwned) await assertReplicaTargets(path, [given.place, ...replicas.map((replica) => replicaAt(replica.to))])
  if (!(await hasStore(path))) await assertFollowable(path, given, options)
  return openDirectory(dir, { ...options, replicas }, async (ports, opening, home, work) => {
    const schedule = { ...given, place: withKeys(given.place, { keyring: ports.keyring }) }
    const absent: BlobId[] = []
    const state = await arrive(ports, schedule, { ...options, onAbsent: (ids) => absent.push(...ids) })
    const openCore =
      state === 'promoted'
        ? (whole: StoreHome) => openEngine(ports, opening, withWork(whole, work))
        : (whole: StoreHome) =>
            openOn({ ports, opening, home: whole, work: isOwned ? work : undefined, absent }, schedule)
    if (!controlSocket) return openCore(home)
    return openListening(ports, opening, home, { open: (_ports, _opening, whole = home) => openCore(whole), auditLog })
  })
}

/** A copy that cannot begin makes no directory. @throws what opening the replica throws; StorageError `StoreNotFound` if it is empty */
async function assertFollowable(
  dir: string,
  { place }: FollowSchedule,
  { keyring, create = true }: OpenStoreOptions,
): Promise<void> {
  if (!create) return
  const replica = await withKeys(place, { keyring: typeof keyring === 'object' ? keyring : undefined }).open({
    create: false,
  })
  try {
    await assertStoreTarget(dir, [place])
    if (new ReplicaReader(replica, await readReplicaState(replica)).end() === 0) throw emptyReplica(place.name)
  } finally {
    await replica.close()
  }
}

interface Opening {
  readonly ports: StorePorts
  readonly opening: OpenOptions
  readonly home: StoreHome
  readonly work: Background | undefined
  /** What the first copy did not find. */
  readonly absent: readonly BlobId[]
}

async function openOn({ ports, opening, home, work, absent }: Opening, schedule: FollowSchedule): Promise<Store> {
  const begun: { following?: Following } = {}
  const opened = await openFollower(ports, opening, {
    ...home,
    async promote(options, by) {
      if (begun.following === undefined) throw new StorageError('StoreClosed', 'The store is not open yet.')
      return begun.following.promote(options, by)
    },
  })
  const following = new Following({ opened, ports, schedule, absent, own: () => work && opened.own(work) })
  begun.following = following
  void opened.jobs.during(following.run())
  return opened.store
}

/** Makes the first copy, if it is not there. The directory makes a secret of its own when it needs one. */
async function arrive(
  { journal, blobs }: StorePorts,
  { place }: FollowSchedule,
  { signal, onProgress, onAbsent }: OpenStoreOptions & Required<Pick<FollowingArrival, 'onAbsent'>>,
): Promise<'following' | 'promoted'> {
  let replica: OpenReplica | undefined
  try {
    return await arriveToFollow({
      name: place.name,
      replica: async () => (replica ??= await place.open({ create: false })),
      into: { name: place.name, journal, blobs, bringSecret: async () => undefined },
      hashing: await nodeHashing(),
      ids: randomIds,
      onAbsent,
      ...(signal && { signal }),
      ...(onProgress && { onProgress: ({ done, total }) => onProgress({ done, total }) }),
    })
  } finally {
    await replica?.close()
  }
}

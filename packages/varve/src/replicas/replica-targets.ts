/** Checks where stores and replicas are before anything is made there: none of them can be in the directory of another one. */
import { assertReplicaDirectory, hasStore } from '@varve/adapters'
import { isStorageError, StorageError } from '@varve/core'
import { directoriesAround, isWithin, realPathOf } from '../files/enclosing.ts'
import { readdir } from '../files/patient-files.ts'
import { rest } from '../jobs/rest.ts'
import type { ReplicaPlace } from './replica-address.ts'

/** A file system of another machine may not answer. */
const patienceMs = 5000

type Directory = Pick<ReplicaPlace, 'directory'>

/**
 * Checks the replicas that a store is opened with, where a directory says it. What may come back is no reason not to open the store: a
 * directory that is absent or empty, cannot be read, or does not answer.
 * @param dir The directory of the store. Absent: it is in none.
 * @throws StorageError `InvalidArgument`: the replica is in the directory of a store or of another replica, or the store is in that of the
 * replica; `StoreNotFound` (`details.kind` is `foreign`): there is something else
 */
export async function assertReplicaTargets(dir: string | undefined, places: readonly Directory[]): Promise<void> {
  for (const { directory } of places) if (directory !== undefined) await answering(() => assertTarget(dir, directory))
}

/**
 * Checks where a store is made of a replica.
 * @throws StorageError `InvalidArgument`: one of them is in the directory of the other, or the new store is in that of a third one
 */
export async function assertStoreTarget(dir: string, from: readonly Directory[]): Promise<void> {
  for (const { directory } of from) if (directory !== undefined) await assertApart(dir, directory)
  await assertOutside(dir, 'dir')
}

async function assertTarget(dir: string | undefined, replica: string): Promise<void> {
  if (dir !== undefined) await assertApart(dir, replica)
  await assertOutside(replica, 'replica')
  await assertReplicaDirectory(replica).catch(unlessForeign)
}

async function answering(work: () => Promise<void>): Promise<void> {
  const ended = new AbortController()
  try {
    await Promise.race([work(), rest(patienceMs, ended.signal)])
  } finally {
    ended.abort()
  }
}

function unlessForeign(error: unknown): void {
  if (isStorageError(error, 'StoreNotFound')) throw error
}

async function assertApart(store: string, replica: string): Promise<void> {
  const [inner, outer] = [await realPathOf(replica), await realPathOf(store)]
  if (isWithin(outer, inner)) throw misplaced(notApart(replica, store), 'replica')
  if (isWithin(inner, outer)) throw misplaced(notApart(store, replica), 'dir')
}

const notApart = (inner: string, outer: string): string =>
  `${inner} is in ${outer}: a store and its replica cannot share a directory.`

async function assertOutside(path: string, argument: string): Promise<void> {
  for (const around of directoriesAround(await realPathOf(path))) {
    const what = await contentOf(around)
    if (what !== undefined) throw misplaced(`${path} is in the directory of a ${what}, ${around}.`, argument)
  }
}

const partsOfReplica = ['replica', 'blobs', 'tmp']

/** A directory that cannot be read has none that is known. */
async function contentOf(directory: string): Promise<'store' | 'replica' | undefined> {
  if (await hasStore(directory).catch(() => false)) return 'store'
  const names = await readdir(directory).catch((): string[] => [])
  return partsOfReplica.every((name) => names.includes(name)) ? 'replica' : undefined
}

const misplaced = (message: string, argument: string): StorageError =>
  new StorageError('InvalidArgument', message, { details: { ArgumentName: argument } })

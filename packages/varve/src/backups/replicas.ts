/** Functions on replicas of stores. Their parts are loaded by the first call, and not when a program imports this module. */
import { resolve } from 'node:path'
import type { ReplicaVerified } from '@varve/core'
import { pathOf } from '../files/paths.ts'
import {
  addressesOf,
  addressOf,
  type RestoreStoreOptions,
  restoreStoreOptions,
  type VerifyReplicaOptions,
  verifyReplicaOptions,
} from './replica-arguments.ts'
import type { ReplicaReport, RestoreReport } from './read-replicas.ts'

/**
 * Restores a store from a replica into a directory, which must be empty or not exist, or have a restore that was interrupted: then it
 * goes on. Events are checked one by one, and bytes as they are copied. Nothing opens the directory before all is there.
 * @param from the address of the replica: see `ReplicaSettings.to`. Of several, all of one log, each is asked for what those before it lack or
 * have damaged, and the one that reaches furthest decides where the store ends.
 * @throws StorageError `StoreNotFound`: there is no replica; `ReplicaDiverged`: they are not of one log; `ReplicaCorrupt`, `LogCorrupt`, `BlobCorrupt`: it is damaged;
 * `MomentOutOfRange`, `NoSuchSnapshot`; `InvalidArgument`: the directory has another store; `UnsupportedFormat`, `StoreLocked`,
 * `NoSpace`, `BlobFailed`, `JournalFailed`; the reason of `signal`
 */
export async function restoreStore(
  from: string | readonly string[],
  dir: string,
  options: RestoreStoreOptions = {},
): Promise<RestoreReport> {
  const [addresses, path, given] = [addressesOf(from), resolve(pathOf('dir', dir)), restoreStoreOptions(options)]
  const { restoreInto } = await import('./read-replicas.ts')
  return restoreInto(addresses, path, given)
}

/**
 * What a replica has.
 * @throws StorageError `StoreNotFound`, `ReplicaCorrupt`, `UnsupportedFormat`, `BlobFailed`, `InvalidArgument`
 */
export async function inspectReplica(from: string): Promise<ReplicaReport> {
  const address = addressOf('from', from)
  const { inspectAt } = await import('./read-replicas.ts')
  return inspectAt(address)
}

/**
 * Proves that a replica can be restored: every event is read and checked, and the bytes are looked for or read.
 * @throws StorageError `LogCorrupt`, `ReplicaCorrupt`: the log is damaged; and what `inspectReplica` throws; the reason of `signal`
 */
export async function verifyReplica(from: string, options: VerifyReplicaOptions = {}): Promise<ReplicaVerified> {
  const [address, given] = [addressOf('from', from), verifyReplicaOptions(options)]
  const { verifyAt } = await import('./read-replicas.ts')
  return verifyAt(address, given)
}

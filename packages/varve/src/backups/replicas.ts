/** Functions on replicas and copies of stores. Their parts are loaded by the first call, and not when a program imports this module. */
import { resolve } from 'node:path'
import type { ReplicaVerified } from '@varve/core'
import { pathOf } from '../files/paths.ts'
import type { BackUpReport } from './back-up-directory.ts'
import {
  addressesOf,
  addressOf,
  type BackUpOptions,
  backUpOptions,
  type InspectReplicaOptions,
  inspectReplicaOptions,
  type RestoreStoreOptions,
  restoreStoreOptions,
  type VerifyReplicaOptions,
  verifyReplicaOptions,
} from './replica-arguments.ts'
import type { ReplicaReport } from './read-replicas.ts'
import type { RestoreReport } from './restore-log.ts'

/**
 * Restores a store from a replica, or from the directory of a store or a copy, into another directory, which must be empty or not exist, or have a restore that was interrupted: then it
 * goes on. Events are checked one by one, and bytes as they are copied. Nothing opens the directory before all is there.
 * @param from the address of the replica (see `ReplicaSettings.to`), or the path of the directory. Of several replicas, all of one log, each is
 * asked for what those before it lack or have damaged, and the one that reaches furthest decides where the store ends.
 * @throws StorageError `StoreNotFound`: there is no replica; `ReplicaDiverged`: they are not of one log; `ReplicaCorrupt`, `LogCorrupt`, `BlobCorrupt`: it is damaged;
 * `MomentOutOfRange`, `NoSuchSnapshot`; `InvalidArgument`: the directory has another store; `UnsupportedFormat`, `StoreLocked`,
 * `KeyUnavailable`, `NoSpace`, `BlobFailed`, `JournalFailed`; the reason of `signal`
 */
export async function restoreStore(
  from: string | readonly string[],
  dir: string,
  options: RestoreStoreOptions = {},
): Promise<RestoreReport> {
  const [addresses, path, given] = [addressesOf(from), resolve(pathOf('dir', dir)), restoreStoreOptions(options)]
  const { restoreFrom } = await import('./restore-from.ts')
  return restoreFrom(addresses, path, given)
}

/**
 * Copies the store in `dir` to the directory `to`, while another process may write to it. The copy has all events up to a moment during the
 * call, and the bytes that they brought, each checked as it is read. Another call copies what is new. The directory `to` is empty, or does not exist, or has a copy of this
 * store. A copy is opened with `readOnly` only; `restoreStore` makes a store of it. Keys of encrypted objects, secrets and files of other programs are not copied.
 * @throws StorageError `StoreNotFound`: there is no store in `dir`; `InvalidArgument`: there is another store in `to`, or `to` is in `dir`;
 * `LogCorrupt`, `BlobCorrupt`: the store is damaged; `StoreLocked`: `to` is open, or the owner of `dir` writes all the time;
 * `UnsupportedFormat`, `NoSpace`, `BlobFailed`, `JournalFailed`; the reason of `signal`
 */
export async function backUpStore(dir: string, to: string, options: BackUpOptions = {}): Promise<BackUpReport> {
  const [from, into, given] = [resolve(pathOf('dir', dir)), resolve(pathOf('to', to)), backUpOptions(options)]
  const { backUpDirectory } = await import('./back-up-directory.ts')
  return backUpDirectory(from, into, given)
}

/**
 * What a replica has.
 * @throws StorageError `StoreNotFound`: there is no replica, or it has no event; `ReplicaCorrupt`, `UnsupportedFormat`, `KeyUnavailable`, `BlobFailed`, `InvalidArgument`
 */
export async function inspectReplica(from: string, options: InspectReplicaOptions = {}): Promise<ReplicaReport> {
  const [address, given] = [addressOf('from', from), inspectReplicaOptions(options)]
  const { inspectAt } = await import('./read-replicas.ts')
  return inspectAt(address, given)
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

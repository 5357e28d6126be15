/** Functions for a store that is closed. Their parts are loaded by the first call, and not when a program imports this module. */
import { resolve } from 'node:path'
import type { LayoutName } from '@varve/adapters'
import type { VerifyReport } from '@varve/core'
import { pathOf } from '../files/paths.ts'
import {
  migrateStoreOptions,
  type MigrateStoreOptions,
  repairStoreOptions,
  type RepairStoreOptions,
  salvageStoreOptions,
  type SalvageStoreOptions,
  verifyStoreOptions,
  type VerifyStoreOptions,
} from './directory-arguments.ts'
import type { MigrationReport } from './migrate-store.ts'
import type { RepairReport } from './repair-store.ts'
import type { SalvageReport } from './salvage-store.ts'

/**
 * Lists everything that does not agree in the store in `dir`. Writes only to the directory for temporary files, which
 * with `readOnly` is outside the store.
 * @throws StorageError `StoreLocked`, `StoreNotFound`, `UnsupportedFormat` (a newer release made it),
 * `ReadOnly` (a change of its parts was interrupted: `openStore` finishes it), `NoSpace`,
 * `JournalFailed`, `InvalidArgument`; the reason of `signal`.
 */
export async function verifyStore(dir: string, options: VerifyStoreOptions = {}): Promise<VerifyReport> {
  const [path, given] = [pathOf('dir', dir), verifyStoreOptions(options)]
  const { inspecting } = await import('./verify-store.ts')
  return inspecting(path, given, async ({ report }) => report)
}

/**
 * Nothing is deleted: damaged blobs, blobs without a name and a log that had to be rebuilt go to `quarantine/`, each
 * with a note. With `from`, events and bytes that are damaged or missing are taken from replicas, each checked against the log.
 * @throws StorageError `LogCorrupt`, having changed nothing, when the log is damaged, or its end cannot be proved; and
 * what `verifyStore` throws.
 */
export async function repairStore(dir: string, options: RepairStoreOptions = {}): Promise<RepairReport> {
  const [path, given] = [resolve(pathOf('dir', dir)), repairStoreOptions(options)]
  const { repairDirectory } = await import('./repair-store.ts')
  return repairDirectory(path, given)
}

/**
 * The source is not changed. `into` must be empty or not exist. The store's own keyring, if any, is copied too.
 * @throws StorageError `LogCorrupt` when even LevelDB's rescue of a copy yields no event that can be read, `InvalidArgument`
 * when `into` contains a store; and what `verifyStore` and `openStore` throw.
 */
export async function salvageStore(
  dir: string,
  into: string,
  options: SalvageStoreOptions = {},
): Promise<SalvageReport> {
  const given = salvageStoreOptions(options)
  const target = pathOf('into', into)
  const source = pathOf('dir', dir)
  const { salvageDirectory } = await import('./salvage-store.ts')
  return salvageDirectory(source, target, given)
}

/**
 * Moves the store to another layout, which needs as much free space as the store takes. Without `layout`, only removes
 * what an interrupted migration left. Nothing of the old store is removed before the new
 * one was read back and agreed with the log.
 * @throws StorageError `BlobMissing`, `BlobCorrupt`, `RowCorrupt` when bytes or keyspaces of the store are damaged: repair it first; `NoSpace`;
 * and what `openStore` throws. The reason of `signal`. The store is then unchanged.
 */
export async function migrateStore(
  dir: string,
  layout?: LayoutName,
  options: MigrateStoreOptions = {},
): Promise<MigrationReport> {
  const [path, given] = [resolve(pathOf('dir', dir)), migrateStoreOptions(options)]
  const { migrateDirectory } = await import('./migrate-store.ts')
  return migrateDirectory(path, layout, given)
}

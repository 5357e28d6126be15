/** Opens a store in a directory of this machine: creates its parts, and closes them again when one of them fails. */
import { rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { onMedium, openStoreDirectory } from '@varve/adapters'
import {
  defaultRetention,
  type Keyring,
  openEngine,
  openForMaintenance,
  type OpenOptions,
  type Store,
  type StoreHome,
  type StorePorts,
} from '@varve/core'
import { pathOf } from '../files/paths.ts'
import { warnOfListener } from '../jobs/warn-of-listener.ts'
import { backgroundOf } from './background.ts'
import { diskScratch, scratchDirectoryOf } from './disk-scratch.ts'
import { createKeyring } from '../keyring/create-keyring.ts'
import { ensureOwnKeys, findOwnKeys } from '../keyring/own-keyring.ts'
import { observingOf } from './observing-of.ts'
import { openListening } from '../control/open-listening.ts'
import { openReadOnly } from './open-read-only.ts'
import { upgradedDirectory } from './upgrade-directory.ts'
import { portsOf } from './ports-of.ts'
import { scrubBookmark } from '../jobs/scrub-bookmark.ts'
import { openOnParts, type StoreParts } from './open-on-parts.ts'
import {
  type OpenStoreOptions,
  openStoreOptions,
  type PartsStoreOptions,
  partsStoreOptions,
  withDefaults,
} from './store-options.ts'
import { fileCursor } from '../webhooks/cursor.ts'

/**
 * Opens the store in `dir`, and creates it if there is none. One process owns a directory at a time. With `readOnly` no
 * file in `dir` is touched, the directory is not locked, and every write is refused with `ReadOnly`.
 * @throws StorageError `StoreLocked` (another owner), `StoreNotFound` (`create: false` and no store, or a directory
 * with other content), `InvalidArgument` (an invalid or unknown option, or a `layout` that does not exist or is not the
 * store's), `UnsupportedFormat` (a newer Varve wrote it, or it has an older format and is not to be upgraded),
 * `LogCorrupt`, `AcknowledgedWritesLost`, `JournalFailed`; the reason of `signal`. An open that fails in one of these
 * ways changes nothing.
 */
export async function openStore(dir: string, options?: OpenStoreOptions): Promise<Store>
/**
 * Opens a store on a journal and blobs of the caller. Several stores can be open on one journal that is not exclusive.
 * The caller closes the parts after the store.
 * @throws StorageError `InvalidArgument`, `UnsupportedFormat`, `LogCorrupt`, `JournalFailed`; the reason of `signal`
 */
export async function openStore(parts: StoreParts, options?: PartsStoreOptions): Promise<Store>
export async function openStore(where: string | StoreParts, options: OpenStoreOptions = {}): Promise<Store> {
  if (typeof where === 'object' && where !== null) return openOnParts(where, partsStoreOptions(options))
  const dir = where
  const given = openStoreOptions(options)
  if (given.readOnly === true) return openReadOnly(dir, given)
  return openDirectory(dir, given, given.controlSocket === false ? openEngine : openListening(given.auditLog))
}

export type MaintenanceOptions = Pick<OpenStoreOptions, 'check' | 'keyring' | 'signal' | 'onProgress'>

/**
 * Opens the store in `dir` for a command that does not know its owner's options: nothing is erased or expires while it
 * is open, and nothing runs in the background. It does not upgrade the store, because older releases could not open it
 * any more.
 * @throws as `openStore` does
 */
export async function openStoreForMaintenance(dir: string, options: MaintenanceOptions = {}): Promise<Store> {
  const given = { ...options, create: false, upgrade: false, sweepOrphans: false, sweepEveryMs: 0, lifecycle: false }
  return openDirectory(dir, openStoreOptions(given), openForMaintenance)
}

/**
 * For commands that only read. No file of the store is touched, so none of its data can be erased. @throws as
 * `openStore` does
 */
export async function openStoreReadOnly(dir: string, options: MaintenanceOptions = {}): Promise<Store> {
  return openReadOnly(dir, openStoreOptions({ ...options, readOnly: true }))
}

type OpenCore = (ports: StorePorts, options: OpenOptions, home: StoreHome) => Promise<Store>

async function openDirectory(dir: string, options: OpenStoreOptions, openCore: OpenCore): Promise<Store> {
  const { core, background, webhooks, scrub, hashingThreads } = withDefaults(options)
  const { create = true, upgrade = true, sweepOrphans = true, check = 'bytes', layout, signal, onProgress } = options
  signal?.throwIfAborted()
  const path = resolve(pathOf('dir', dir))
  const progress = { ...(signal && { signal }), ...(onProgress && { onProgress }) }
  const { observer } = options
  const observing = observingOf(observer)
  const found = await openStoreDirectory(path, {
    create,
    check,
    layout,
    acceptsOlder: upgrade,
    onSync: observing?.sync,
  })
  const directory = await upgradedDirectory(found, progress)
  try {
    const { storeId, created, sealed, replayedFrom } = directory
    const keyring = await keyringFor(path, options.keyring)
    const ports = await portsOf(path, directory, { hashingThreads, keyring, observer })
    const scratch = scratchDirectoryOf(path)
    const opening = { ...core, ...progress, retention: defaultRetention, sealed, replayedFrom, observesTime: true }
    return await openCore({ ...ports, openScratch: () => diskScratch(scratch) }, opening, {
      storeId,
      dir: path,
      layout: directory.layout,
      warn: warnOfListener,
      async ready() {
        if (created) await directory.markReady()
        directory.markSound()
        await onMedium('JournalFailed', 'Emptying scratch', () => rm(scratch, { recursive: true, force: true }))
      },
      background: backgroundOf({
        ...background,
        webhooks: webhooks.map((webhook) => ({ webhook, cursor: fileCursor(path, webhook.arn) })),
        ...(scrub && { scrub: { ...scrub, bookmark: scrubBookmark(path) } }),
        sweepOrphans: sweepOrphans && !created,
      }),
      async closePorts() {
        await directory.close().finally(() => observing?.end())
      },
    })
  } catch (error) {
    await directory.close().catch(() => undefined)
    throw error
  }
}

async function keyringFor(dir: string, requested: OpenStoreOptions['keyring']): Promise<Keyring | undefined> {
  if (typeof requested === 'object') return requested
  const own = requested === 'own' ? await ensureOwnKeys(dir) : await findOwnKeys(dir)
  return own && createKeyring(own)
}

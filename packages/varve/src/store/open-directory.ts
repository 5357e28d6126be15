/** Opens a store in a directory of this machine: creates its parts, and closes them again when one of them fails. */
import { resolve } from 'node:path'
import { onMedium, onPath, openStoreDirectory } from '@varve/adapters'
import {
  type Clock,
  defaultRetention,
  type Keyring,
  openEngine,
  openForMaintenance,
  type OpenOptions,
  ownPort,
  type Store,
  type StoreHome,
  type StorePorts,
} from '@varve/core'
import { fileLogSigner } from '../files/log-signer.ts'
import { pathOf } from '../files/paths.ts'
import { warnOfListener } from '../jobs/warn-of-listener.ts'
import { type Background, watchingOf, workOf } from './background.ts'
import { diskScratch, scratchDirectoryOf } from './disk-scratch.ts'
import { createKeyring } from '../keyring/create-keyring.ts'
import { ensureOwnKeys, ownKeysOfOpen } from '../keyring/own-keyring.ts'
import { observingOf } from './observing-of.ts'
import { openListening } from '../control/open-listening.ts'
import { openReadOnly } from './open-read-only.ts'
import { portsOf } from './ports-of.ts'
import { scrubBookmark } from '../jobs/scrub-bookmark.ts'
import { type OpenStoreOptions, openStoreOptions, withDefaults } from './store-options.ts'
import { replicaAt, type ReplicaPlace } from '../replicas/replica-address.ts'
import { assertReplicaTargets } from '../replicas/replica-targets.ts'
import { replicasOf, type ReplicaWork } from '../replicas/replicas-of.ts'
import { pinsFor } from '../replicas/replica-settings.ts'
import { fileCursor } from '../webhooks/cursor.ts'
import { rm } from '../files/patient-files.ts'

export type MaintenanceOptions = Pick<OpenStoreOptions, 'actor' | 'check' | 'keyring' | 'signal' | 'onProgress'>

/**
 * Opens the store in `dir` for a command that does not know its owner's options: nothing is erased or expires while it
 * is open, and nothing runs in the background.
 * @throws as `openStore` does
 */
export async function openStoreForMaintenance(dir: string, options: MaintenanceOptions = {}): Promise<Store> {
  return openDirectory(dir, maintenance(options), maintained)
}

/** As `openStoreForMaintenance`, and the replicas heal the damage that it meets. */
export const openStoreForHealing = (
  dir: string,
  copies: readonly ReplicaPlace[],
  options: MaintenanceOptions = {},
): Promise<Store> => openDirectory(dir, maintenance(options), maintained, { healFrom: copies })

/** As `openStoreForMaintenance`, for a command that goes on: others can use the store meanwhile, as the same actor. */
export async function openStoreForSessions(dir: string, options: MaintenanceOptions = {}): Promise<Store> {
  const store = await openDirectory(dir, maintenance(options), (ports, opening, home, work) =>
    openListening(ports, opening, withWork(home, work), { open: openForMaintenance }),
  )
  store.owner.operators.add().is(options.actor)
  return store
}

const maintenance = (options: MaintenanceOptions): OpenStoreOptions =>
  openStoreOptions({
    ...options,
    create: false,
    sweepOrphans: false,
    sweepEveryMs: 0,
    lifecycle: false,
  })

/**
 * For commands that only read. No file of the store is touched, so none of its data can be erased. @throws as
 * `openStore` does
 */
export async function openStoreReadOnly(dir: string, options: MaintenanceOptions = {}): Promise<Store> {
  return openReadOnly(dir, openStoreOptions({ ...options, readOnly: true }))
}

/** `work`: what only a store does that takes writes. */
export type OpenCore = (ports: StorePorts, options: OpenOptions, home: StoreHome, work: Background) => Promise<Store>

/** The home of a store that takes writes. */
export const withWork = (home: StoreHome, work: Background): StoreHome => ({
  ...home,
  background: [...(home.background ?? []), ...work],
})

const maintained: OpenCore = (ports, opening, home, work) => openForMaintenance(ports, opening, withWork(home, work))

/**
 * Opens a store with the jobs of its owner, and creates it if there is none.
 * @param options Checked options.
 * @throws as `openStore` does
 */
export async function openOwned(dir: string, options: OpenStoreOptions): Promise<Store> {
  const { controlSocket, auditLog, replicas = [] } = options
  await assertReplicaTargets(
    resolve(pathOf('dir', dir)),
    replicas.map(({ to }) => replicaAt(to)),
  )
  const openCore: OpenCore = (ports, opening, home, work) => {
    const whole = withWork(home, work)
    return controlSocket === false
      ? openEngine(ports, opening, whole)
      : openListening(ports, opening, whole, { auditLog })
  }
  return openDirectory(dir, options, openCore, { fills: true })
}

/** For a program that tells a story of the past. Nothing runs in the background. @throws as `openStore` does */
export async function openAtTime(dir: string, clock: Clock, options: Pick<OpenStoreOptions, 'signal'>): Promise<Store> {
  return openDirectory(
    dir,
    openStoreOptions({ ...options, sweepEveryMs: 0, lifecycle: false }),
    (ports, opening, home, work) => openEngine({ ...ports, clock }, opening, withWork(home, work)),
  )
}

/** Opens the parts of a store in a directory. @throws as `openStore` does */
export async function openDirectory(
  dir: string,
  options: OpenStoreOptions,
  openCore: OpenCore,
  ofReplicas: ReplicaWork = {},
): Promise<Store> {
  const path = resolve(pathOf('dir', dir))
  return onPath(path, () => opened(path, options, openCore, ofReplicas))
}

async function opened(
  path: string,
  options: OpenStoreOptions,
  openCore: OpenCore,
  ofReplicas: ReplicaWork,
): Promise<Store> {
  const { core, background, webhooks, scrub, hashingThreads, ...rest } = withDefaults(options)
  const { create = true, sweepOrphans = true, check = 'bytes', layout } = options
  options.signal?.throwIfAborted()
  const progress = progressOf(options)
  const { observer } = options
  const observing = observingOf(observer)
  const directory = await openStoreDirectory(path, { create, check, layout, onSync: observing?.sync })
  try {
    const { storeId, created, sealed, replayedFrom } = directory
    const keyring = await keyringFor(path, options.keyring)
    const given = { schedules: rest.replicas, keyring, givenKeyring: options.keyring, ...ofReplicas }
    const { replicas, filling, portsOver, close } = await replicasOf(path, given)
    const ports = await portsOf(path, directory, { hashingThreads, keyring, observer })
    const scratch = scratchDirectoryOf(path)
    const opening = { ...core, ...progress, retention: defaultRetention, sealed, replayedFrom, observesTime: true }
    const over = portsOver(directory.blobs)
    const whole = {
      ...ports,
      ...over,
      blobs: ownPort(over.blobs),
      openScratch: () => diskScratch(scratch),
      signer: fileLogSigner(path, storeId),
    }
    const work = workOf({
      ...background,
      webhooks: webhooks.map((webhook) => ({ webhook, cursor: fileCursor(path, webhook.arn) })),
      replicas,
      ...(scrub && { scrub: { ...scrub, bookmark: scrubBookmark(path) } }),
      sweepOrphans: sweepOrphans && !created,
      unread: directory.unread,
      filling,
    })
    const home: StoreHome = {
      storeId,
      dir: path,
      layout: directory.layout,
      warn: warnOfListener,
      async ready() {
        if (created) await directory.markReady()
        directory.markSound()
        await onMedium('JournalFailed', 'Emptying scratch', () => rm(scratch, { recursive: true, force: true }))
      },
      pins: pinsFor(replicas),
      background: watchingOf(background),
      async closePorts() {
        await close()
        await directory.close().finally(() => observing?.end())
      },
    }
    return await openCore(whole, opening, home, work)
  } catch (error) {
    await directory.close().catch(() => undefined)
    throw error
  }
}

const progressOf = ({ signal, onProgress }: OpenStoreOptions) => ({
  ...(signal && { signal }),
  ...(onProgress && { onProgress }),
})

async function keyringFor(dir: string, requested: OpenStoreOptions['keyring']): Promise<Keyring | undefined> {
  if (typeof requested === 'object') return requested
  const own = (await ownKeysOfOpen(dir)) ?? (requested === 'own' ? await ensureOwnKeys(dir) : undefined)
  return own && createKeyring(own)
}

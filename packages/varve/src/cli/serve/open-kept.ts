/** Opens what is served: a store in a directory, or one whose journal and blobs are at addresses. */
import { resolve } from 'node:path'
import { assertRoomToOpen, nodeHashing } from '@varve/adapters'
import type { Divergence, Store } from '@varve/core'
import { endMove } from '../../moving/end-move.ts'
import { bringCursors } from '../../moving/moved-cursors.ts'
import { openAtAddresses } from '../../parts/open-at-addresses.ts'
import type { RememberedTip } from '../../parts/remembered-tip.ts'
import { openStore } from '../../store/open-store.ts'
import type { OpenProgress, OpenStoreOptions, PartsStoreOptions } from '../../store/store-options.ts'
import type { CliContext } from '../support/context.ts'
import { openingLabel } from '../support/progress.ts'
import { explained } from '../support/reach-store.ts'
import type { Announcer } from './announcer.ts'
import { moveDestination } from './move-destination.ts'
import { recoveringStore, type RecoveringStore } from './recovering-store.ts'
import { addressesOf } from './served-addresses.ts'
import { ServedMove } from './served-move.ts'
import type { ServerSettings } from './server-settings.ts'
import type { ServingMetrics } from './serving-metrics.ts'
import { observing } from './serving-telemetry.ts'
import { regionOf, type Serving } from './start-server.ts'

type Parts = Omit<Serving, 'kept' | 'mover' | 'configured' | 'tls' | 'fd' | 'reloads'>

/** @throws what opening the store throws */
export function openKept(context: CliContext, settings: ServerSettings, parts: Parts): Promise<RecoveringStore<Store>> {
  const { announce, node } = parts
  const { dir } = settings
  const addresses = addressesOf(settings)
  const remembered: RememberedTip = { tip: undefined }
  const openHere = () =>
    openStore(dir, directoryOptions(settings, parts, sharedOptions(context, settings, parts))).catch(
      async (error: unknown) => {
        await endMove(resolve(dir), error).catch(announce.moveFailed)
        throw error
      },
    )
  const open = () =>
    addresses === undefined
      ? openHere().catch((error: unknown) => Promise.reject(explained(error, dir)))
      : openAtAddresses(
          { masterKeys: parts.keys.masterKeys, remembered, ...(node && { status: node }), ...addresses },
          { staleMs: settings.stale ?? 0, ...sharedOptions(context, settings, parts) },
        )
  return recoveringStore({
    open: () => open().finally(() => context.progress.clear()),
    beside: addresses !== undefined,
    ...(addresses === undefined && { untilRoom: () => assertRoomToOpen(dir) }),
    onFailed: announce.failed,
    onRetry: announce.retry,
    onReopened: (store) => announce.reopened(store.seq),
  })
}

/** `undefined` for a store that cannot be moved while it is served. */
export function movable(
  context: CliContext,
  settings: ServerSettings,
  { kept, ...parts }: Parts & Pick<Serving, 'kept'>,
): ServedMove | undefined {
  if (addressesOf(settings) !== undefined || settings.workers > 1) return undefined
  const { announce, keys, webhooks } = parts
  const from = resolve(settings.dir)
  return new ServedMove({
    kept,
    from,
    destinationOf: (to) =>
      moveDestination(to, { store: kept.current, keys, options: sharedOptions(context, settings, parts) }),
    bringRest: async ({ journal }) =>
      bringCursors(webhooks, { dir: from, into: journal, hashing: await nodeHashing() }),
    onMoved: announce.moved,
    onFailed: announce.moveFailed,
  })
}

/** Options of every store. A keyring in a directory is none that several servers could share. */
function sharedOptions(
  { signal, progress }: CliContext,
  settings: ServerSettings,
  { announce, keys, webhooks, metrics, telemetry }: Parts,
): PartsStoreOptions {
  const { retention, hashingThreads } = settings
  const onProgress = (done: OpenProgress): void => progress.show(openingLabel, done)
  return {
    region: regionOf(settings),
    ...(retention !== undefined && { retentionMs: retention }),
    ...(keys.keyring !== 'own' && { keyring: keys.keyring }),
    ...(hashingThreads !== undefined && { hashingThreads }),
    ...observing(metrics, telemetry),
    webhooks,
    ...replicating(settings, announce),
    ...scrubbing(settings, announce, metrics),
    onClock: announce.clock,
    signal,
    onProgress,
  }
}

function directoryOptions(
  settings: ServerSettings,
  { keys, logs, announce }: Parts,
  shared: PartsStoreOptions,
): OpenStoreOptions {
  const { check, witness, layout } = settings
  return {
    ...shared,
    check,
    witness,
    keyring: keys.keyring,
    ...(layout && { layout }),
    ...following(settings, announce),
    ...(logs.loggers.auditLog && { auditLog: logs.loggers.auditLog }),
  }
}

function replicating(
  settings: ServerSettings,
  { replicaFailed, replicaGap, replicaDamaged }: Announcer,
): Pick<PartsStoreOptions, 'replicas'> {
  const { replicate = [], replicateEvery, replicateSync, replicatePatience, replicateTakeOver } = settings
  const { replicatePin, replicateKeep, replicateEncrypt, replicateRate, replicateProve, replicateViews } = settings
  const how = {
    everyMs: Math.max(replicateEvery, 10),
    takeOver: replicateTakeOver === true,
    encrypt: replicateEncrypt === true,
    ...(replicatePin !== undefined && { pinMax: replicatePin }),
    ...(replicateKeep !== undefined && { keepErasedMs: replicateKeep }),
    ...(replicateRate !== undefined && { bytesPerSecond: Math.max(replicateRate, 1) }),
    ...(replicateProve !== undefined && { proveEveryMs: Math.max(replicateProve, 1000) }),
    ...(replicateViews !== undefined && { viewsEvery: replicateViews }),
    onGap: replicaGap,
    onDamage: replicaDamaged,
    onFailure: replicaFailed,
    ...(replicateSync && { synchronous: replicateSync, patienceMs: Math.max(replicatePatience, 1) }),
  }
  return replicate.length === 0 ? {} : { replicas: replicate.map((to) => ({ to, ...how })) }
}

function following(
  { follow, followEvery }: ServerSettings,
  { followFailed, promoted }: Announcer,
): Pick<OpenStoreOptions, 'follow'> {
  if (follow === undefined) return {}
  const everyMs = Math.max(followEvery, 10)
  return { follow: { from: follow, everyMs, onFailure: followFailed, onPromoted: promoted } }
}

function scrubbing(
  { scrub, scrubEvery }: ServerSettings,
  announce: Announcer,
  metrics: ServingMetrics | undefined,
): Pick<PartsStoreOptions, 'scrub'> {
  if (scrub === undefined) return {}
  const onDivergence = (found: Divergence): void => {
    metrics?.damage(found.kind)
    announce.damage(found)
  }
  const rates = { bytesPerSecond: scrub, everyMs: Math.max(scrubEvery, 1000) }
  return { scrub: { ...rates, onDivergence, onPass: announce.scrubbed } }
}

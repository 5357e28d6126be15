/** Runs a server: loads identities, opens the store, serves, and waits until it is stopped or the store is lost. */
import { assertRoomToOpen } from '@varve/adapters'
import { type Identity, parseIpRange } from '../../http.ts'
import { tuneRuntime } from '../../workers/tune-runtime.ts'
import { openStore } from '../../store/open-store.ts'
import type { OpenProgress, OpenStoreOptions } from '../../store/store-options.ts'
import type { Divergence, Store } from '@varve/core'
import { loadWebhookFile } from '../../webhooks/webhook-file.ts'
import { aborted } from '../support/aborted.ts'
import type { CliContext } from '../support/context.ts'
import { openingLabel } from '../support/progress.ts'
import { Interrupted, UsageError } from '../support/exit-codes.ts'
import { isLoopback } from '../support/loopback.ts'
import { explained } from '../support/reach-store.ts'
import { type Announcer, announcer } from './announcer.ts'
import { recoveringStore, type RecoveringStore } from './recovering-store.ts'
import { regionOf, type Serving, startServer } from './start-server.ts'
import { assertWorkable } from './start-workers.ts'
import { followTls, loadTls } from './tls-files.ts'
import { servingKeys } from './serving-keys.ts'
import { freePort } from './free-port.ts'
import { servingLogs } from './serving-logs.ts'
import { observing, servingTelemetry } from './serving-telemetry.ts'
import { passedSocket } from './passed-socket.ts'
import { type ServingMetrics, servingMetrics } from './serving-metrics.ts'
import { servedFieldsOf } from '../../workers/served-identities.ts'
import { hangupsOf, reloader, replacingTls } from './reload.ts'
import type { ServerSettings } from './server-settings.ts'
import { servedIdentities } from '../../identities/managed-identities.ts'
import { configuredIdentities, followKeptIdentities, type RootPair, rootPairOf } from './serving-identities.ts'

/**
 * Resolves when the server was stopped and everything is closed. `reread` reads the settings again, at each hangup.
 *
 * @throws errors that prevent or end serving
 */
export async function runServer(
  context: CliContext,
  settings: ServerSettings,
  reread?: () => Promise<ServerSettings>,
): Promise<void> {
  tuneRuntime()
  const announce = announcer(context, settings.json)
  const hangups = reread && hangupsOf(context)
  // Before the store is created: a mistake in the identity file, or a port that is taken, should leave nothing behind.
  checkProxies(settings)
  const configured = await configuredIdentities(settings.identities, process.env)
  const keys = await servingKeys(settings.keyring, process.env)
  const tls = await loadTls(settings)
  let opened: RecoveringStore<Store> | undefined
  const metrics = await servingMetrics(settings, () => opened?.current)
  const webhooks = settings.webhooks === undefined ? [] : await loadWebhookFile(settings.webhooks)
  const telemetry = await servingTelemetry(settings)
  const logs = await servingLogs(settings, announce.logProblem)
  try {
    assertWorkable(settings.workers, settings.layout)
    const fd = passedSocket(process.env)
    const port = fd === undefined ? await freePort(settings) : settings.port
    const parts = { announce, keys, webhooks, metrics, logs, telemetry }
    const kept = await openKept(context, settings, parts)
    opened = kept
    try {
      const reloads = reread && hangups && { reloads: { reread, hangups } }
      await serveKept(context, { ...settings, port }, { ...parts, kept, configured, tls, fd, ...reloads })
    } finally {
      await kept.close()
    }
  } catch (error) {
    // Being stopped is the normal end of serving, even early.
    if (!(error instanceof Interrupted)) throw error
  } finally {
    await logs.close()
  }
}

/** @throws UsageError */
export function checkProxies({ trustedProxy = [] }: Pick<ServerSettings, 'trustedProxy'>): void {
  const wrong = trustedProxy.find((text) => parseIpRange(text) === undefined)
  if (wrong !== undefined) throw new UsageError(`--trusted-proxy takes addresses and ranges of them, and not ${wrong}.`)
}

function openKept(
  { signal, progress }: CliContext,
  settings: ServerSettings,
  {
    announce,
    keys,
    webhooks,
    metrics,
    logs,
    telemetry,
  }: Omit<Serving, 'kept' | 'configured' | 'tls' | 'fd' | 'reloads'>,
): Promise<RecoveringStore<Store>> {
  const { dir, retention, check, witness, layout, upgrade, hashingThreads } = settings
  let isAnnounced = false
  const onProgress = ({ stage, ...done }: OpenProgress): void => {
    if (stage !== undefined && !isAnnounced) announce.upgrading(done.total)
    isAnnounced ||= stage !== undefined
    progress.show(openingLabel(stage), done)
  }
  const open = (): Promise<Store> =>
    openStore(dir, {
      region: regionOf(settings),
      ...(retention !== undefined && { retentionMs: retention }),
      check,
      upgrade,
      witness,
      keyring: keys.keyring,
      webhooks,
      ...(layout && { layout }),
      ...(hashingThreads !== undefined && { hashingThreads }),
      ...scrubbing(settings, announce, metrics),
      ...observing(metrics, telemetry),
      ...(logs.loggers.auditLog && { auditLog: logs.loggers.auditLog }),
      onClock: announce.clock,
      signal,
      onProgress,
    })
      .catch((error: unknown) => Promise.reject(explained(error, dir)))
      .finally(() => progress.clear())
  return recoveringStore({
    open,
    untilRoom: () => assertRoomToOpen(dir),
    onFailed: announce.failed,
    onRetry: announce.retry,
    onReopened: (store) => announce.reopened(store.seq),
  })
}

function scrubbing(
  { scrub, scrubEvery }: ServerSettings,
  announce: Announcer,
  metrics: ServingMetrics | undefined,
): Pick<OpenStoreOptions, 'scrub'> {
  if (scrub === undefined) return {}
  const onDivergence = (found: Divergence): void => {
    metrics?.damage(found.kind)
    announce.damage(found)
  }
  const rates = { bytesPerSecond: scrub, everyMs: Math.max(scrubEvery, 1000) }
  return { scrub: { ...rates, onDivergence, onPass: announce.scrubbed } }
}

async function serveKept({ signal, note }: CliContext, settings: ServerSettings, serving: Serving): Promise<void> {
  const { announce, kept, configured, tls } = serving
  const { dir, host, dialect, grace } = settings
  assertWorkable(settings.workers, kept.current.layout)
  const own = configured.length > 0 ? undefined : await ownRoot(kept.current.dir ?? dir, announce)
  const { server, identities } = await startManaged(settings, serving, own ? [own.identity] : configured)
  const followed = tls === undefined ? undefined : followTls(tls, replacingTls(server, announce))
  serving.reloads?.hangups.use(reloader(settings, { ...serving, server, followed, identities }))
  try {
    const region = regionOf(settings)
    const workerPool = settings.workers > 1 && { workers: settings.workers }
    const { storeId } = kept.current
    const page = settings.console && { console: `${server.url}/-/console/` }
    await announce.ready({ url: server.url, ...page, dir, storeId, region, dialect, ...workerPool }, own)
    if (tls === undefined && !isLoopback(host)) {
      note('This is plain HTTP beyond this machine: use --tls-cert and --tls-key, or put TLS in front of it.')
    }
    await Promise.race([aborted(signal), kept.lost])
  } finally {
    followed?.stop()
    identities.stop()
    if (signal.aborted) announce.stopping()
    await server.close({ graceMs: grace })
  }
}

/** A server whose identities follow the log of the store. */
async function startManaged(settings: ServerSettings, serving: Serving, given: readonly Identity[]) {
  const { announce, kept } = serving
  const served = await servedIdentities(kept.current, given)
  for (const identity of served.ignored) announce.ignored(identity)
  const server = await startServer(settings, serving, served)
  try {
    const identities = await followKeptIdentities(kept, given, (all, sessions) =>
      server.change({ served: servedFieldsOf({ identities: all, sessions }) }),
    )
    return { server, identities }
  } catch (error) {
    await server.close()
    throw error
  }
}

async function ownRoot(dir: string, announce: Announcer): Promise<RootPair> {
  const pair = await rootPairOf(dir)
  if (pair.created) await announce.rootPair(pair.identity, pair.file)
  return pair
}

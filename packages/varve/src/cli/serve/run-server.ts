/** Runs a server: loads identities, opens the store, serves, and waits until it is stopped or the store is lost. */
import { assertRoomToOpen, type LayoutName } from '@varve/adapters'
import {
  type BucketDefaults,
  dialects,
  type DialectName,
  type Identity,
  parseIpRange,
  type RequestLog,
  serve,
  type Signatures,
} from '../../http.ts'
import { collectEarly } from '../../workers/collect-early.ts'
import { openStore } from '../../store/open-store.ts'
import type { FileCheck, OpenProgress } from '../../store/store-options.ts'
import type { Store } from '@varve/core'
import { fieldsOf } from '../../workers/control-messages.ts'
import { loadWebhookFile } from '../../webhooks/webhook-file.ts'
import type { Webhook } from '../../webhooks/webhook.ts'
import type { CliContext } from '../support/context.ts'
import { untilAborted } from '../support/interrupts.ts'
import { openingLabel } from '../support/progress.ts'
import { Interrupted, UsageError } from '../support/exit-codes.ts'
import { explained } from '../support/reach-store.ts'
import { type Announcer, announcer } from './announcer.ts'
import { recoveringStore, type RecoveringStore } from './recovering-store.ts'
import { assertWorkable, type ServedStore, startWorkers } from './start-workers.ts'
import { followTls, type LoadedTls, loadTls, type TlsFiles, type TlsListener } from './tls-files.ts'
import { type ServingKeys, servingKeys } from './serving-keys.ts'
import type { Metrics } from '../../metrics.ts'
import type { Telemetry } from '../../opentelemetry.ts'
import { accessDelivery } from '../../access-logs/access-logs.ts'
import { OwnerMetrics } from '../../workers/owner-metrics.ts'
import { freePort } from './free-port.ts'
import { type ScrubRates, scrubbing } from './serving-scrub.ts'
import { observing, servingTelemetry, type TelemetrySettings } from './serving-telemetry.ts'
import { type LogSettings, type ServingLogs, servingLogs } from './serving-logs.ts'
import { type MetricsSettings, servingMetrics } from './serving-metrics.ts'
import { configuredIdentities, type RootPair, rootPairOf } from './serving-identities.ts'

export interface ServerSettings extends TlsFiles, MetricsSettings, LogSettings, TelemetrySettings, ScrubRates {
  readonly dir: string
  readonly host: string
  readonly port: number
  readonly nextPort?: boolean
  /** @default the region of the dialect */
  readonly region?: string
  readonly dialect: DialectName
  readonly identities?: string
  readonly keyring?: string
  /** The path of a file. */
  readonly webhooks?: string
  readonly hostSuffix?: readonly string[]
  readonly websiteSuffix?: readonly string[]
  /** Addresses and ranges of trusted proxies. */
  readonly trustedProxy?: readonly string[]
  readonly signatures?: Signatures
  readonly bucketDefaults?: BucketDefaults
  /** Milliseconds. */
  readonly retention?: number
  /** Milliseconds. */
  readonly grace: number
  readonly check: FileCheck
  /** Upgrade a store of an older format. */
  readonly upgrade: boolean
  readonly witness: 'trailing' | 'synced'
  /** The layout of a new store. An existing store must have it. */
  readonly layout?: LayoutName
  /** Processes that answer requests. Below two, this process answers them. */
  readonly workers: number
  /** Hashing threads of this process. A worker hashes on its own thread, and has no others. */
  readonly hashingThreads?: number
  readonly logRequests?: boolean
  readonly json: boolean
}

/** Resolves when the server was stopped and everything is closed. @throws errors that prevent or end serving */
export async function runServer(context: CliContext, settings: ServerSettings): Promise<void> {
  collectEarly()
  const announce = announcer(context, settings.json)
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
    const port = await freePort(settings)
    const parts = { announce, keys, webhooks, metrics, logs, telemetry }
    const kept = await openKept(context, settings, parts)
    opened = kept
    try {
      await serveKept(context, { ...settings, port }, { ...parts, kept, configured, tls })
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
function checkProxies({ trustedProxy = [] }: ServerSettings): void {
  const wrong = trustedProxy.find((text) => parseIpRange(text) === undefined)
  if (wrong !== undefined) throw new UsageError(`--trusted-proxy takes addresses and ranges of them, and not ${wrong}.`)
}

const regionOf = ({ region, dialect }: ServerSettings): string => region ?? dialects[dialect].defaultRegion

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
  }: Pick<Serving, 'announce' | 'keys' | 'webhooks' | 'metrics' | 'logs' | 'telemetry'>,
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
      ...scrubbing(settings, announce),
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

interface Serving {
  readonly announce: Announcer
  readonly kept: RecoveringStore<Store>
  readonly configured: readonly Identity[]
  readonly keys: ServingKeys
  readonly webhooks: readonly Webhook[]
  readonly tls: LoadedTls | undefined
  readonly metrics: Metrics | undefined
  readonly logs: ServingLogs
  readonly telemetry: Telemetry | undefined
}

async function serveKept({ signal, note }: CliContext, settings: ServerSettings, serving: Serving): Promise<void> {
  const { announce, kept, configured, tls } = serving
  const { dir, host, dialect, grace } = settings
  assertWorkable(settings.workers, kept.current.layout)
  const own = configured.length > 0 ? undefined : await ownRoot(kept.current.dir ?? dir, announce)
  const identities = own === undefined ? configured : [own.identity]
  const server = await startServer(settings, serving, identities)
  const unfollow = tls === undefined ? undefined : followTls(tls, replacing(server, announce))
  try {
    const region = regionOf(settings)
    const workerPool = settings.workers > 1 && { workers: settings.workers }
    const { storeId } = kept.current
    await announce.ready({ url: server.url, dir, storeId, region, dialect, ...workerPool }, own)
    if (tls === undefined && !isLoopback(host)) {
      note('This is plain HTTP beyond this machine: use --tls-cert and --tls-key, or put TLS in front of it.')
    }
    await Promise.race([untilAborted(signal), kept.lost])
  } finally {
    unfollow?.()
    if (signal.aborted) announce.stopping()
    await server.close({ graceMs: grace })
  }
}

function replacing(server: ServedStore, announce: Announcer): TlsListener {
  return {
    onReplaced({ pair, validTo }) {
      server.replaceTls(pair)
      announce.certificate(validTo)
    },
    onUnusable: announce.certificateUnusable,
  }
}

async function ownRoot(dir: string, announce: Announcer): Promise<RootPair> {
  const pair = await rootPairOf(dir)
  if (pair.created) await announce.rootPair(pair.identity, pair.file)
  return pair
}

/** What a server has in this process and in workers. */
function serviceOf(settings: ServerSettings, { webhooks, tls }: Pick<Serving, 'webhooks' | 'tls'>) {
  const { hostSuffix, websiteSuffix, trustedProxy, signatures, bucketDefaults } = settings
  return {
    dialect: settings.dialect,
    region: regionOf(settings),
    notificationTargets: webhooks.map(({ arn }) => arn),
    ...(hostSuffix && { hostSuffixes: hostSuffix }),
    ...(websiteSuffix && { websiteSuffixes: websiteSuffix }),
    ...(trustedProxy && { trustedProxies: trustedProxy }),
    ...(signatures && { signatures }),
    ...(bucketDefaults && { bucketDefaults }),
    ...(tls && { tls: tls.pair }),
  }
}

async function startServer(
  settings: ServerSettings,
  serving: Serving,
  identities: readonly Identity[],
): Promise<ServedStore> {
  const { host, port, logRequests = false, workers } = settings
  const { announce, kept, keys, metrics, logs, telemetry } = serving
  const service = serviceOf(settings, serving)
  const log = (entry: RequestLog): void => {
    if (logRequests || entry.status >= 500) announce.request(entry)
  }
  const accessLogs = { everyMs: settings.accessLogEvery }
  if (workers < 2) {
    const tracing = telemetry && { tracing: telemetry.tracing }
    const measuring = { ...(metrics && { metrics, observer: metrics.observer }), ...tracing }
    const own = {
      store: kept.store,
      controlStore: () => kept.current,
      identities,
      host,
      port,
      log,
      accessLogs,
      ...logs.loggers,
    }
    return serve({ ...own, ...service, ...measuring })
  }
  const accesses = accessDelivery({ store: kept.store, current: () => kept.current, ...accessLogs })
  const dir = kept.current.dir ?? settings.dir
  const keyring = await keys.material(dir)
  const workerSettings = {
    ...service,
    identities: identities.map(fieldsOf),
    keyring,
    dir,
    logRequests,
    logs: logs.levels,
    opentelemetry: telemetry !== undefined,
    workers,
    ...(metrics && { metrics: { contentType: metrics.contentType, ...(metrics.token && { token: metrics.token }) } }),
  }
  const server = await startWorkers(kept, {
    host,
    port,
    settings: workerSettings,
    onRequest: log,
    onLines: logs.write,
    onAccess: (access) => accesses.add(access),
    onLoss: announce.loss,
    metrics: metrics && new OwnerMetrics(metrics),
  })
  const close: typeof server.close = async (how) => {
    await server.close(how)
    await accesses.flush()
  }
  return { ...server, close }
}

/** Other names may resolve to loopback too, but only these certainly do. */
const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || host.startsWith('127.')

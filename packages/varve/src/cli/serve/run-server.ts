/** Runs a server: loads identities, opens the store, serves, and waits until it is stopped or the store is lost. */
import { assertRoomToOpen } from '@varve/adapters'
import { dialects, type Identity, parseIpRange, type RequestLog, serve } from '../../http.ts'
import { collectEarly } from '../../workers/collect-early.ts'
import { openStore } from '../../store/open-store.ts'
import { consoleDirectory } from '../../files/console-directory.ts'
import type { OpenProgress, OpenStoreOptions } from '../../store/store-options.ts'
import type { Divergence, Store } from '@varve/core'
import { fieldsOf } from '../../workers/control-messages.ts'
import { loadWebhookFile } from '../../webhooks/webhook-file.ts'
import type { Webhook } from '../../webhooks/webhook.ts'
import { aborted } from '../support/aborted.ts'
import type { CliContext } from '../support/context.ts'
import { openingLabel } from '../support/progress.ts'
import { Interrupted, UsageError } from '../support/exit-codes.ts'
import { isLoopback } from '../support/loopback.ts'
import { explained } from '../support/reach-store.ts'
import { type Announcer, announcer } from './announcer.ts'
import { recoveringStore, type RecoveringStore } from './recovering-store.ts'
import { assertWorkable, type ServedStore, startWorkers } from './start-workers.ts'
import { followTls, type LoadedTls, loadTls } from './tls-files.ts'
import { type ServingKeys, servingKeys } from './serving-keys.ts'
import { freePort } from './free-port.ts'
import { type ServingLogs, servingLogs } from './serving-logs.ts'
import { passedSocket } from './passed-socket.ts'
import { type ServingMetrics, servingMetrics } from './serving-metrics.ts'
import { type Hangups, hangupsOf, reloader, replacingTls } from './reload.ts'
import { limitsOf, type ServerSettings } from './server-settings.ts'
import { configuredIdentities, type RootPair, rootPairOf } from './serving-identities.ts'

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
  collectEarly()
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
  const logs = await servingLogs(settings, announce.logProblem)
  try {
    assertWorkable(settings.workers, settings.layout)
    const fd = passedSocket(process.env)
    const port = fd === undefined ? await freePort(settings) : settings.port
    const kept = await openKept(context, settings, { announce, keys, webhooks, metrics })
    opened = kept
    try {
      await serveKept(
        context,
        { ...settings, port },
        {
          announce,
          kept,
          configured,
          keys,
          webhooks,
          tls,
          metrics,
          logs,
          fd,
          ...(reread && hangups && { reloads: { reread, hangups } }),
        },
      )
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

const regionOf = ({ region, dialect }: ServerSettings): string => region ?? dialects[dialect].defaultRegion

function openKept(
  { signal, progress }: CliContext,
  settings: ServerSettings,
  { announce, keys, webhooks, metrics }: Pick<Serving, 'announce' | 'keys' | 'webhooks' | 'metrics'>,
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
      ...(metrics && { observer: metrics.observer }),
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

interface Serving {
  readonly announce: Announcer
  readonly kept: RecoveringStore<Store>
  readonly configured: readonly Identity[]
  readonly keys: ServingKeys
  readonly webhooks: readonly Webhook[]
  readonly tls: LoadedTls | undefined
  readonly metrics: ServingMetrics | undefined
  readonly logs: ServingLogs
  /** The descriptor of a socket to serve. */
  readonly fd: number | undefined
  readonly reloads?: { readonly reread: () => Promise<ServerSettings>; readonly hangups: Hangups }
}

async function serveKept({ signal, note }: CliContext, settings: ServerSettings, serving: Serving): Promise<void> {
  const { announce, kept, configured, tls } = serving
  const { dir, host, dialect, grace } = settings
  assertWorkable(settings.workers, kept.current.layout)
  const own = configured.length > 0 ? undefined : await ownRoot(kept.current.dir ?? dir, announce)
  const identities = own === undefined ? configured : [own.identity]
  const server = await startServer(settings, serving, identities)
  const followed = tls === undefined ? undefined : followTls(tls, replacingTls(server, announce))
  serving.reloads?.hangups.use(reloader(settings, { ...serving, server, followed }))
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
    if (signal.aborted) announce.stopping()
    await server.close({ graceMs: grace })
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
    ...(settings.console && { console: consoleDirectory() }),
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
  const { host, port, workers } = settings
  let { logRequests = false } = settings
  const { announce, kept, keys, metrics, logs, fd } = serving
  const service = serviceOf(settings, serving)
  const log = (entry: RequestLog): void => {
    // Workers report only what is to be shown.
    if (workers > 1 || logRequests || entry.status >= 500) announce.request(entry)
  }
  if (workers < 2) {
    const measuring = metrics && { metrics, observer: metrics.observer }
    const own = { store: kept.store, controlStore: () => kept.current, identities, host, port, log, ...logs.loggers }
    const server = await serve({
      ...own,
      ...service,
      ...measuring,
      ...limitsOf(settings),
      ...(fd !== undefined && { fd }),
    })
    return {
      ...server,
      change(changes) {
        if (changes.tls) server.replaceTls(changes.tls)
        logRequests = changes.logRequests ?? logRequests
      },
    }
  }
  const dir = kept.current.dir ?? settings.dir
  const keyring = await keys.material(dir)
  const workerSettings = {
    ...service,
    identities: identities.map(fieldsOf),
    keyring,
    dir,
    logRequests,
    logs: logs.levels,
    limits: limitsOf(settings),
    workers,
    ...(metrics && { metrics: { contentType: metrics.contentType, ...(metrics.token && { token: metrics.token }) } }),
  }
  return startWorkers(kept, {
    host,
    port,
    fd,
    settings: workerSettings,
    onRequest: log,
    onLines: logs.write,
    onLoss: announce.loss,
    metrics,
  })
}

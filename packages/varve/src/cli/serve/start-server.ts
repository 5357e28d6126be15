/** The server itself, in this process or in workers. */
import type { StoreMover } from '@varve/http'
import { dialects, type Identity, type RequestLog, serve } from '../../http.ts'
import type { Store } from '@varve/core'
import { accessDelivery } from '../../access-logs/access-logs.ts'
import { consoleDirectory } from '../../files/console-directory.ts'
import type { ServedIdentities } from '../../identities/managed-identities.ts'
import type { Webhook } from '../../webhooks/webhook.ts'
import type { NodeStatus } from '../../parts/node-status.ts'
import { replaceServed, servedFieldsOf } from '../../workers/served-identities.ts'
import type { Announcer } from './announcer.ts'
import type { RecoveringStore } from './recovering-store.ts'
import type { Hangups } from './reload.ts'
import type { Telemetry } from '../../opentelemetry.ts'
import { limitsOf, rateLimitsOf, type ServerSettings } from './server-settings.ts'
import type { ServingKeys } from './serving-keys.ts'
import type { ServingLogs } from './serving-logs.ts'
import type { ServingMetrics } from './serving-metrics.ts'
import { type ServedStore, startWorkers } from './start-workers.ts'
import type { LoadedTls } from './tls-files.ts'

export interface Serving {
  readonly announce: Announcer
  readonly kept: RecoveringStore<Store>
  /** Absent: the store cannot be moved while it is served. */
  readonly mover?: StoreMover | undefined
  readonly configured: readonly Identity[]
  readonly keys: ServingKeys
  readonly webhooks: readonly Webhook[]
  readonly tls: LoadedTls | undefined
  readonly metrics: ServingMetrics | undefined
  readonly logs: ServingLogs
  readonly telemetry: Telemetry | undefined
  /** Absent for a store in a directory. */
  readonly node: NodeStatus | undefined
  /** The descriptor of a socket to serve. */
  readonly fd: number | undefined
  readonly reloads?: { readonly reread: () => Promise<ServerSettings>; readonly hangups: Hangups }
}

export const regionOf = ({ region, dialect }: ServerSettings): string => region ?? dialects[dialect].defaultRegion

export async function startServer(
  settings: ServerSettings,
  serving: Serving,
  served: ServedIdentities,
): Promise<ServedStore> {
  const parts = { settings, serving, served, service: serviceOf(settings, serving) }
  return settings.workers < 2 ? serveHere(parts) : serveByWorkers(parts)
}

/** `undefined` for a store that takes writes. */
const followedPositionOf = ({ owner, seq }: Store): number | undefined =>
  owner.refusal?.details['kind'] === 'following' ? seq : undefined

interface Parts {
  readonly settings: ServerSettings
  readonly serving: Serving
  readonly served: ServedIdentities
  readonly service: ReturnType<typeof serviceOf>
}

/** What a server has in this process and in workers. */
function serviceOf(settings: ServerSettings, { webhooks, tls }: Pick<Serving, 'webhooks' | 'tls'>) {
  const { hostSuffix, websiteSuffix, trustedProxy, signatures, bucketDefaults, openLog } = settings
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
    ...(openLog === true && { openLog }),
    ...(tls && { tls: tls.pair }),
    rateLimits: rateLimitsOf(settings),
  }
}

async function serveHere({
  settings,
  serving,
  served: { identities, sessions },
  service,
}: Parts): Promise<ServedStore> {
  const { host, port } = settings
  const { announce, kept, mover, metrics, logs, telemetry, node, fd } = serving
  let { logRequests = false } = settings
  const server = await serve({
    store: kept.store,
    controlStore: () => kept.current,
    ...(mover && { mover }),
    ...(settings.follow !== undefined && { followedPosition: () => followedPositionOf(kept.current) }),
    identities,
    ...(sessions && { sessions }),
    host,
    port,
    log(entry) {
      if (logRequests || entry.status >= 500) announce.request(entry)
    },
    accessLogs: { everyMs: settings.accessLogEvery },
    ...logs.loggers,
    ...service,
    ...(metrics && { metrics, observer: metrics.observer }),
    ...(telemetry && { tracing: telemetry.tracing }),
    ...(node && { node }),
    ...limitsOf(settings),
    ...(fd !== undefined && { fd }),
  })
  return {
    ...server,
    async change(changes) {
      if (changes.tls) server.replaceTls(changes.tls)
      if (changes.served) replaceServed(server, changes.served)
      logRequests = changes.logRequests ?? logRequests
    },
  }
}

async function serveByWorkers({ settings, serving, served, service }: Parts): Promise<ServedStore> {
  const { host, port, logRequests = false, workers } = settings
  const { announce, kept, keys, metrics, logs, telemetry, fd } = serving
  const everyMs = settings.accessLogEvery
  const accesses = accessDelivery({ store: kept.store, current: () => kept.current, everyMs })
  const dir = kept.current.dir ?? settings.dir
  const server = await startWorkers(kept, {
    host,
    port,
    fd,
    settings: {
      ...service,
      served: servedFieldsOf(served),
      keyring: await keys.material(dir),
      dir,
      logRequests,
      logs: logs.levels,
      opentelemetry: telemetry !== undefined,
      limits: limitsOf(settings),
      workers,
      ...(metrics && {
        metrics: { contentType: metrics.contentType, ...(metrics.token && { token: metrics.token }) },
      }),
    },
    // Workers report only what is to be shown.
    onRequest: (entry: RequestLog) => announce.request(entry),
    onLines: logs.write,
    onAccess: (access) => accesses.add(access),
    onLoss: announce.loss,
    metrics,
  })
  const close: typeof server.close = async (how) => {
    await server.close(how)
    await accesses.flush()
  }
  return { ...server, close }
}

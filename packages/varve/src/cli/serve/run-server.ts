/** Runs a server: loads identities, opens the store, serves, and waits until it is stopped or the store is lost. */
import { setTimeout as delay } from 'node:timers/promises'
import { type Identity, parseIpRange } from '../../http.ts'
import { tuneRuntime } from '../../workers/tune-runtime.ts'
import type { Store } from '@varve/core'
import { loadWebhookFile } from '../../webhooks/webhook-file.ts'
import { aborted } from '../support/aborted.ts'
import type { NodeStatus } from '../../parts/node-status.ts'
import type { CliContext } from '../support/context.ts'
import { Interrupted, UsageError } from '../support/exit-codes.ts'
import { isLoopback } from '../support/loopback.ts'
import { type Announcer, announcer, type Ready } from './announcer.ts'
import type { RecoveringStore } from './recovering-store.ts'
import { regionOf, type Serving, startServer } from './start-server.ts'
import { assertWorkable } from './start-workers.ts'
import { followTls, loadTls } from './tls-files.ts'
import { servingKeys } from './serving-keys.ts'
import { checkFollowing } from './following-settings.ts'
import { freePort } from './free-port.ts'
import { servingLogs } from './serving-logs.ts'
import { servingTelemetry } from './serving-telemetry.ts'
import { watchFilling } from './watch-filling.ts'
import { passedSocket } from './passed-socket.ts'
import { servingMetrics } from './serving-metrics.ts'
import { movable, openKept } from './open-kept.ts'
import { checkAddresses, nodeStatusOf } from './served-addresses.ts'
import { servedFieldsOf } from '../../workers/served-identities.ts'
import { hangupsOf, reloader, replacingTls } from './reload.ts'
import type { ServerSettings } from './server-settings.ts'
import { servedIdentities } from '../../identities/managed-identities.ts'
import { configuredIdentities } from '../../identities/root-actor.ts'
import { followKeptIdentities, type RootPair, rootPairOf } from './serving-identities.ts'

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
  checkAddresses(settings)
  checkFollowing(settings)
  const configured = await configuredIdentities(settings.identities, process.env)
  if (settings.journal !== undefined && configured.length === 0) throw noIdentities()
  const keys = await servingKeys(settings.keyring, process.env)
  const tls = await loadTls(settings)
  let opened: RecoveringStore<Store> | undefined
  let node: NodeStatus | undefined
  const metrics = await servingMetrics(settings, { store: () => opened?.current, node: () => node })
  const webhooks = settings.webhooks === undefined ? [] : await loadWebhookFile(settings.webhooks)
  const telemetry = await servingTelemetry(settings)
  const logs = await servingLogs(settings, announce.logProblem)
  try {
    assertWorkable(settings.workers, settings.layout)
    const fd = passedSocket(process.env)
    const port = fd === undefined ? await freePort(settings) : settings.port
    node = nodeStatusOf({ ...settings, port })
    const parts = { announce, keys, webhooks, metrics, logs, telemetry, node }
    const kept = await openKept(context, settings, parts)
    opened = kept
    const mover = movable(context, settings, { ...parts, kept })
    try {
      const reloads = reread && hangups && { reloads: { reread, hangups } }
      await serveKept(context, { ...settings, port }, { ...parts, kept, mover, configured, tls, fd, ...reloads })
    } finally {
      await mover?.close()
      await kept.close()
    }
  } catch (error) {
    // Being stopped is the normal end of serving, even early.
    if (!(error instanceof Interrupted)) throw error
  } finally {
    await logs.close()
  }
}

const noIdentities = (): UsageError =>
  new UsageError('Servers that share a journal need the same identities.', {
    hint: 'Set `VARVE_ACCESS_KEY_ID` and `VARVE_SECRET_ACCESS_KEY`, or use `--identities`.',
  })

/** @throws UsageError */
export function checkProxies({ trustedProxy = [] }: Pick<ServerSettings, 'trustedProxy'>): void {
  const wrong = trustedProxy.find((text) => parseIpRange(text) === undefined)
  if (wrong !== undefined) throw new UsageError(`--trusted-proxy takes addresses and ranges of them, and not ${wrong}.`)
}

async function serveKept({ signal, note }: CliContext, settings: ServerSettings, serving: Serving): Promise<void> {
  const { announce, kept, configured, tls } = serving
  const { dir, host, grace, drain } = settings
  assertWorkable(settings.workers, kept.current.layout)
  const own = configured.length > 0 ? undefined : await ownRoot(kept.current.dir ?? dir, announce)
  const { server, identities } = await startManaged(settings, serving, own ? [own.identity] : configured)
  const followed = tls === undefined ? undefined : followTls(tls, replacingTls(server, announce))
  const filling = watchFilling({ jobs: () => kept.current.jobs, onFailure: announce.fillingFailed })
  serving.reloads?.hangups.use(reloader(settings, { ...serving, server, followed, identities }))
  try {
    await announce.ready(readyOf(settings, serving, server.url), own)
    if (tls === undefined && !isLoopback(host)) {
      note('This is plain HTTP beyond this machine: use --tls-cert and --tls-key, or put TLS in front of it.')
    }
    await Promise.race([aborted(signal), kept.lost])
  } finally {
    if (signal.aborted) {
      announce.stopping()
      await drained(serving, drain)
    }
    filling.stop()
    followed?.stop()
    identities.stop()
    await server.close({ graceMs: grace })
  }
}

const timerMaxMs = 2 ** 31 - 1

/** A node goes on answering until balancers have noticed that it is no longer ready. */
async function drained({ node, kept }: Serving, ms: number): Promise<void> {
  if (node === undefined) return
  node.drain()
  const end = new AbortController()
  await Promise.race([delay(Math.min(ms, timerMaxMs), undefined, { signal: end.signal }), kept.lost]).catch(
    () => undefined,
  )
  end.abort()
}

function readyOf(settings: ServerSettings, { kept, node }: Serving, url: string): Ready {
  const { dialect, workers } = settings
  return {
    url,
    ...(settings.console && { console: `${url}/-/console/` }),
    place: placeOf(settings),
    storeId: kept.current.storeId,
    region: regionOf(settings),
    dialect,
    ...(workers > 1 && { workers }),
    ...(node && { node: node.name }),
  }
}

const placeOf = ({ dir, journal }: ServerSettings) => (journal === undefined ? { dir } : { journal })

/** A server whose identities follow the log of the store. */
async function startManaged(settings: ServerSettings, serving: Serving, given: readonly Identity[]) {
  const { kept } = serving
  // No change is answered between the first reading and the following.
  const starting = kept.current.owner.identityFollowers.add()
  try {
    return await startFollowing(settings, serving, given)
  } finally {
    starting.end()
  }
}

async function startFollowing(settings: ServerSettings, serving: Serving, given: readonly Identity[]) {
  const { announce, kept } = serving
  const served = await servedIdentities(kept.current, given)
  for (const identity of served.ignored) announce.ignored(identity)
  for (const identity of served.displaced) announce.displaced(identity)
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

/** A worker process: it serves a store that another process owns, and ends with that process. */
import { Socket } from 'node:net'
import { nodeHashing, openFilesShares } from '@varve/adapters'
import {
  bodyBytesFor,
  createConnectionServer,
  createIdentity,
  type ConnectionServer,
  type RequestLog,
} from '@varve/http'
import { tuneRuntime } from './tune-runtime.ts'
import { ControlClient } from '../control/control-client.ts'
import { socketTransport } from '../control/socket-transport.ts'
import { createKeyring } from '../keyring/create-keyring.ts'
import type { FromWorker, ToWorker, WorkerChanges, WorkerSettings } from './control-messages.ts'
import { sharedLimits } from './shared-limits.ts'
import { plainError } from './plain-error.ts'
import { replaceServed } from './served-identities.ts'
import { workerAccesses } from './worker-accesses.ts'
import { workerLogs } from './worker-logs.ts'
import { WorkerMetrics } from './worker-metrics.ts'
import { workerStore } from './worker-store.ts'

/** The descriptor of the channel to the owner of the log. */
const channelDescriptor = 4
const connectionsMost = 10_000
const shareMin = 4
/** The control requests of all workers at once. The owner has some more connections for other programs. */
const controlMost = 192

const owner = process.ppid
/** On Windows, a process keeps the number of its parent when that one is gone. */
const isOwned = (): boolean => process.platform !== 'win32' && process.ppid === owner

/** Resolves when the message is sent, or the channel is closed. */
const report = (message: FromWorker): Promise<void> =>
  new Promise((resolve) => {
    if (process.send === undefined || !process.connected) resolve()
    else process.send(message, undefined, undefined, () => resolve())
  })

interface Working {
  readonly server: ConnectionServer
  readonly metrics: WorkerMetrics | undefined
  readonly change: (changes: WorkerChanges) => void
  readonly end: () => Promise<void>
}

async function work(settings: WorkerSettings): Promise<Working> {
  const { dir, region, limits, served, workers } = settings
  const shares = openFilesShares()
  const ofShare = (most: number, share: number) => Math.max(shareMin, Math.min(Math.ceil(most / workers), share))
  const hashing = await nodeHashing()
  const channel = new Socket({ fd: channelDescriptor, readable: true, writable: true })
  const kept = await workerStore(channel, {
    dir,
    region,
    hashing,
    keyring: createKeyring(settings.keyring),
    openMax: ofShare(shares.blobs, shares.blobs),
    isOwned,
  })
  kept.lost.catch(fail)
  // The owner answers requests of the control API over its socket, in the name of the identity.
  const control = new ControlClient(await socketTransport(dir, ofShare(controlMost, controlMost)))
  const logs = await workerLogs(settings.logs, report)
  let { logRequests } = settings
  const metrics = settings.metrics && new WorkerMetrics(settings.metrics, report)
  const server = createConnectionServer({
    store: kept.store,
    controlForward: () => control,
    identities: served.identities.map(createIdentity),
    ...(settings.rateLimits && { rateLimits: sharedLimits(settings.rateLimits, workers) }),
    ...(served.sessions && { sessions: served.sessions }),
    hashing,
    ...serviceOf(settings),
    ...(metrics && { metrics: metrics.source, observer: metrics.observer }),
    ...logs.loggers,
    ...limits,
    ...(settings.opentelemetry && { tracing: (await import('../opentelemetry.ts')).createTelemetry().tracing }),
    accessLog: workerAccesses(kept.store, report),
    connectionsMax: ofShare(limits.connectionsMax ?? connectionsMost, shares.connections),
    bodyBytesMax: bodyBytesFor(ofShare(shares.blobs, shares.blobs)),
    log(entry) {
      if (logRequests || entry.status >= 500) void report(messageOf(entry))
    },
  })
  const end = async (): Promise<void> => {
    await metrics?.end()
    await logs.end()
    await control.close()
    await kept.close()
  }
  const change = (changes: WorkerChanges): void => {
    if (changes.tls) server.replaceTls(changes.tls)
    if (changes.metrics) metrics?.replaceToken(changes.metrics.token)
    if (changes.served) replaceServed(server, changes.served)
    logRequests = changes.logRequests ?? logRequests
  }
  return { server, metrics, change, end }
}

function serviceOf(settings: WorkerSettings) {
  const { dialect, region, hostSuffixes, websiteSuffixes, trustedProxies, console: consoleFiles } = settings
  const { notificationTargets, signatures, bucketDefaults, openLog, tls } = settings
  return {
    dialect,
    region,
    notificationTargets,
    ...(hostSuffixes && { hostSuffixes }),
    ...(websiteSuffixes && { websiteSuffixes }),
    ...(trustedProxies && { trustedProxies }),
    ...(consoleFiles && { console: consoleFiles }),
    ...(signatures && { signatures }),
    ...(bucketDefaults && { bucketDefaults }),
    ...(openLog === true && { openLog }),
    ...(tls && { tls }),
  }
}

function messageOf({ error, ...entry }: RequestLog): FromWorker {
  return { kind: 'request', entry, ...(error !== undefined && { error: plainError(error) }) }
}

async function fail(error: unknown): Promise<void> {
  await report({ kind: 'refused', error: plainError(error) })
  process.exit(1)
}

// Without the owner, no request can be answered.
process.once('disconnect', () => process.exit())
// A terminal or an init system may send these signals to all processes of the server. Only the owner reacts to them.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2'] as const) process.on(name, () => undefined)

tuneRuntime()
let working: ReturnType<typeof work> | undefined
process.on('message', (message: ToWorker, connection: Socket | undefined) => {
  switch (message.kind) {
    case 'start':
      working = work(message.settings)
      working.then(() => report({ kind: 'ready' })).catch(fail)
      return
    case 'connection':
      void report({ kind: 'taken', id: message.id })
      // The connection may have been closed in transit.
      if (connection !== undefined) void working?.then(({ server }) => server.take(connection))
      return
    case 'change':
      void working
        ?.then(({ change }) => change(message.changes))
        .then(() => report({ kind: 'changed', id: message.id }))
      return
    case 'metrics':
      void working?.then(({ metrics }) => metrics?.answer(message))
      return
    case 'stop':
      void working
        ?.then(async ({ server, end }) => {
          await server.close({ graceMs: message.graceMs })
          await end()
          await report({ kind: 'done' })
        })
        .finally(() => process.exit())
  }
})

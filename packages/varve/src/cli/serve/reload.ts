/** What a hangup (`SIGHUP`) changes in a running server: its certificate, its identities, the token of its metrics, and what it logs. */
import type { Identity } from '@varve/http'
import { configuredIdentities } from '../../identities/root-actor.ts'
import type { Announcer } from './announcer.ts'
import type { CliContext } from '../support/context.ts'
import { fieldNameOf } from '../config/option-forms.ts'
import type { ServerSettings } from './server-settings.ts'
import { metricsTokenIn, type ServingMetrics } from './serving-metrics.ts'
import type { FollowedIdentities } from './serving-identities.ts'
import type { ServedStore } from './start-workers.ts'
import type { FollowedTls, TlsListener } from './tls-files.ts'

/** Hangups while a server starts are for the settings that it is about to use. */
export interface Hangups {
  use(reload: () => void): void
}

export function hangupsOf(context: CliContext): Hangups {
  let reload: (() => void) | undefined
  context.onHangup(() => reload?.())
  return { use: (given) => void (reload = given) }
}

export function replacingTls(server: ServedStore, announce: Announcer): TlsListener {
  return {
    onReplaced({ pair, validTo }) {
      void server.change({ tls: pair })
      announce.certificate(validTo)
    },
    onUnusable: announce.certificateUnusable,
  }
}

interface Reloaded {
  readonly announce: Announcer
  readonly server: ServedStore
  readonly metrics: ServingMetrics | undefined
  readonly followed: FollowedTls | undefined
  readonly identities: FollowedIdentities
  readonly reloads?: { readonly reread: () => Promise<ServerSettings> }
}

/** Reads the settings again, and uses those that can change. One call waits for the one before. */
export function reloader(
  begun: ServerSettings,
  { announce, server, metrics, followed, identities, reloads }: Reloaded,
): () => void {
  let last = Promise.resolve()
  const reload = async (): Promise<void> => {
    const now = await reloads?.reread()
    if (now === undefined) return
    const token = await replacedToken(metrics, now.metricsTokenFile)
    const configured = await replacedIdentities(begun, now)
    if (metrics && token !== undefined) metrics.token = token
    await server.change({
      logRequests: now.logRequests ?? false,
      ...(metrics && token !== undefined && { metrics: { contentType: metrics.contentType, token } }),
    })
    if (configured !== undefined) await identities.configure(configured)
    await followed?.look()
    const replaced = { metricsTokenFile: token !== undefined, identities: configured !== undefined, logRequests: true }
    announce.reloaded(needRestart(begun, now, replaced))
  }
  return () => void (last = last.then(reload).catch(announce.reloadRefused))
}

/** Metrics that began without a token cannot get one, and one that they have cannot be taken away. */
const replacedToken = (metrics: ServingMetrics | undefined, file: string | undefined): Promise<string> | undefined =>
  metrics?.token === undefined || file === undefined ? undefined : metricsTokenIn(file)

/** A server of the store's own root pair has no file to read again, and one with a file keeps having one. */
const replacedIdentities = (begun: ServerSettings, now: ServerSettings): Promise<readonly Identity[]> | undefined =>
  begun.identities === undefined || now.identities === undefined
    ? undefined
    : configuredIdentities(now.identities, process.env)

function needRestart(
  begun: ServerSettings,
  now: ServerSettings,
  replaced: Partial<Record<keyof ServerSettings, boolean>>,
): readonly string[] {
  const names = new Set([...Object.keys(begun), ...Object.keys(now)]) as ReadonlySet<keyof ServerSettings>
  return [...names]
    .filter((name) => name !== 'port' || begun.nextPort !== true)
    .filter((name) => replaced[name] !== true)
    .filter((name) => JSON.stringify(begun[name]) !== JSON.stringify(now[name]))
    .map(fieldNameOf)
}

/** What a hangup (`SIGHUP`) changes in a running server: its certificate, the token of its metrics, and what it logs. */
import type { Announcer } from './announcer.ts'
import type { CliContext } from '../support/context.ts'
import { fieldNameOf } from '../config/option-forms.ts'
import type { ServerSettings } from './server-settings.ts'
import { metricsTokenIn, type ServingMetrics } from './serving-metrics.ts'
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
      server.change({ tls: pair })
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
  readonly reloads?: { readonly reread: () => Promise<ServerSettings> }
}

const reloadable: ReadonlySet<string> = new Set<keyof ServerSettings>(['logRequests', 'metricsTokenFile'])

/** Reads the settings again, and uses those that can change. One call waits for the one before. */
export function reloader(
  begun: ServerSettings,
  { announce, server, metrics, followed, reloads }: Reloaded,
): () => void {
  let last = Promise.resolve()
  const reload = async (): Promise<void> => {
    const now = await reloads?.reread()
    if (now === undefined) return
    const token = await replacedToken(metrics, now.metricsTokenFile)
    if (metrics && token !== undefined) metrics.token = token
    server.change({
      logRequests: now.logRequests ?? false,
      ...(metrics && token !== undefined && { metrics: { contentType: metrics.contentType, token } }),
    })
    await followed?.look()
    announce.reloaded(needRestart(begun, now, token !== undefined))
  }
  return () => void (last = last.then(reload).catch(announce.reloadRefused))
}

/** Metrics that began without a token cannot get one, and one that they have cannot be taken away. */
const replacedToken = (metrics: ServingMetrics | undefined, file: string | undefined): Promise<string> | undefined =>
  metrics?.token === undefined || file === undefined ? undefined : metricsTokenIn(file)

function needRestart(begun: ServerSettings, now: ServerSettings, hasToken: boolean): readonly string[] {
  const names = new Set([...Object.keys(begun), ...Object.keys(now)]) as ReadonlySet<keyof ServerSettings>
  return [...names]
    .filter((name) => name !== 'port' || begun.nextPort !== true)
    .filter((name) => !reloadable.has(name) || (name === 'metricsTokenFile' && !hasToken))
    .filter((name) => JSON.stringify(begun[name]) !== JSON.stringify(now[name]))
    .map(fieldNameOf)
}

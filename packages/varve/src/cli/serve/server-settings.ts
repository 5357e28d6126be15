/** The options of `varve serve`, as the server has them. */
import type { LayoutName } from '@varve/adapters'
import type { BucketDefaults, DialectName, RateLimit, RateLimitOptions, Signatures } from '@varve/http'
import type { FileCheck } from '../../store/file-check.ts'
import type { WhenBehind } from '../../replicas/replica-gate.ts'
import type { LogSettings } from './serving-logs.ts'
import type { TelemetrySettings } from './serving-telemetry.ts'
import type { MetricsSettings } from './serving-metrics.ts'
import type { TlsFiles } from './tls-files.ts'
import type { ServedLimits } from '../../workers/control-messages.ts'

/** Durations are in milliseconds. */
export interface ConnectionLimits {
  readonly connectionsMax?: number
  readonly requestsPerConnectionMax?: number
  readonly keepAlive?: number
  readonly idleTimeout?: number
  readonly headersTimeout?: number
}

export interface ServerSettings extends TlsFiles, MetricsSettings, LogSettings, TelemetrySettings, ConnectionLimits {
  readonly dir: string
  /** The address of a journal that several servers share. There is no directory then. */
  readonly journal?: string
  /** The address of the blobs beside it. */
  readonly blobs?: string
  /** @default the name of the machine, and the port */
  readonly nodeName?: string
  /** How old the state may be that reads show, in milliseconds. */
  readonly stale?: number
  /** Milliseconds. */
  readonly drain: number
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
  /** The addresses of replicas. */
  readonly replicate?: readonly string[]
  /** Milliseconds. */
  readonly replicateEvery: number
  readonly replicateSync?: WhenBehind
  /** Milliseconds. */
  readonly replicatePatience: number
  readonly replicateTakeOver?: boolean
  readonly replicateEncrypt?: boolean
  /** Bytes a second. */
  readonly replicateRate?: number
  /** How often replicas are proven, in milliseconds. */
  readonly replicateProve?: number
  /** After how many events the views are written. */
  readonly replicateViews?: number
  /** The address of the replica that the store follows. */
  readonly follow?: string
  /** Milliseconds. */
  readonly followEvery: number
  /** Bytes that stay for each replica. */
  readonly replicatePin?: number
  /** How long replicas keep what the store has erased, in milliseconds. */
  readonly replicateKeep?: number
  readonly hostSuffix?: readonly string[]
  readonly websiteSuffix?: readonly string[]
  /** Addresses and ranges of trusted proxies. */
  readonly trustedProxy?: readonly string[]
  readonly signatures?: Signatures
  readonly bucketDefaults?: BucketDefaults
  /** Show checkpoints and hashes of the log to everyone. */
  readonly openLog?: boolean
  /** Milliseconds. */
  readonly retention?: number
  /** Milliseconds. */
  readonly grace: number
  /** Bytes per second. Absent: nothing is scrubbed. */
  readonly scrub?: number
  /** Milliseconds. */
  readonly scrubEvery: number
  readonly check: FileCheck
  readonly witness: 'trailing' | 'synced'
  /** The layout of a new store. An existing store must have it. */
  readonly layout?: LayoutName
  /** Processes that answer requests. Below two, this process answers them. */
  readonly workers: number
  /** Hashing threads of this process. A worker hashes on its own thread, and has no others. */
  readonly hashingThreads?: number
  readonly addressRate?: RateLimit
  readonly identityRate?: RateLimit
  readonly logRequests?: boolean
  /** Answer the console. */
  readonly console: boolean
  readonly json: boolean
}

/** The options of a server that limit its connections. */
export function limitsOf({
  connectionsMax,
  requestsPerConnectionMax,
  keepAlive,
  idleTimeout,
  headersTimeout,
}: ConnectionLimits): ServedLimits {
  return {
    ...(connectionsMax !== undefined && { connectionsMax }),
    ...(requestsPerConnectionMax !== undefined && { requestsPerConnectionMax }),
    ...(keepAlive !== undefined && { keepAliveTimeoutMs: keepAlive }),
    ...(idleTimeout !== undefined && { idleTimeoutMs: idleTimeout }),
    ...(headersTimeout !== undefined && { headersTimeoutMs: headersTimeout }),
  }
}

export const rateLimitsOf = ({
  addressRate: address,
  identityRate: identity,
}: Pick<ServerSettings, 'addressRate' | 'identityRate'>): RateLimitOptions => ({
  ...(address && { address }),
  ...(identity && { identity }),
})

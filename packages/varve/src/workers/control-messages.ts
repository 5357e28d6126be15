/**
 * The control messages between the owner of the store and its workers. They go over Node's own channel, as JSON.
 * `protocol.ts` has the messages of the store.
 */
import type { RequestObservation } from '@varve/core'
import type {
  BucketDefaults,
  DialectName,
  LoggedAccess,
  ConnectionServerOptions,
  MetricsSource,
  RateLimitOptions,
  RequestLog,
  Signatures,
} from '@varve/http'
import type { KeyMaterial } from '../keyring/key-material.ts'
import type { LogLevel } from '../logs/json-line.ts'
import type { PlainError } from './plain-error.ts'
import type { ServedFields } from './served-identities.ts'

/** Limits of the connections of a server. */
export type ServedLimits = Pick<
  ConnectionServerOptions,
  'connectionsMax' | 'requestsPerConnectionMax' | 'keepAliveTimeoutMs' | 'idleTimeoutMs' | 'headersTimeoutMs'
>

export interface WorkerSettings {
  readonly dir: string
  readonly region: string
  readonly dialect: DialectName
  readonly hostSuffixes?: readonly string[]
  readonly websiteSuffixes?: readonly string[]
  readonly trustedProxies?: readonly string[]
  /** The directory of the console's files. */
  readonly console?: string
  readonly notificationTargets: readonly string[]
  readonly signatures?: Signatures
  readonly bucketDefaults?: BucketDefaults
  readonly openLog?: boolean
  readonly served: ServedFields
  /** Those of the whole server: each worker has its share. */
  readonly rateLimits?: RateLimitOptions
  /** The keys that objects are encrypted with. */
  readonly keyring: KeyMaterial
  /** Report every request, and not only errors of the server. */
  readonly logRequests: boolean
  /** The logs that the worker writes lines for. */
  readonly logs: LogLevels
  /** Follow requests as spans, with the SDK that a module of the operator registers. */
  readonly opentelemetry: boolean
  /** Answer requests for metrics, with those of the owner. */
  readonly metrics?: Pick<MetricsSource, 'contentType' | 'token'>
  /** Serve HTTPS. */
  readonly tls?: TlsPair
  /** Of all workers together. */
  readonly limits: ServedLimits
  /** The number of workers, which share the limits of one server. */
  readonly workers: number
}

/** A log that a server writes. */
export type LogName = 'request' | 'audit'
/** The least level of each log. A log that is absent is not written. */
export type LogLevels = Readonly<Partial<Record<LogName, LogLevel>>>
/** What a server can change while it runs. A field that is absent stays as it is. */
export type WorkerChanges = Partial<Pick<WorkerSettings, 'tls' | 'logRequests' | 'metrics' | 'served'>>

/** A key and its certificates, as PEM. */
export interface TlsPair {
  readonly key: string
  readonly cert: string
}

export type ToWorker =
  | { readonly kind: 'start'; readonly settings: WorkerSettings }
  /** A connection, sent with the message. Until the worker takes it, the owner may give it to another worker. */
  | { readonly kind: 'connection'; readonly id: number }
  /** Use these from now on; the certificates for connections that begin later. */
  | { readonly kind: 'change'; readonly id: number; readonly changes: WorkerChanges }
  /** The metrics that were asked for. */
  | ({ readonly kind: 'metrics'; readonly id: number } & ({ readonly text: string } | { readonly error: PlainError }))
  /** Finish requests in progress, for this many milliseconds, and end. */
  | { readonly kind: 'stop'; readonly graceMs: number }

export type FromWorker =
  | { readonly kind: 'ready' }
  /** The worker took the connection. Sent before it reads anything from the connection. */
  | { readonly kind: 'taken'; readonly id: number }
  /** The worker uses this change, and all before it. */
  | { readonly kind: 'changed'; readonly id: number }
  /** The worker cannot start. */
  | { readonly kind: 'refused'; readonly error: PlainError }
  /** The worker ends, and has sent all its messages. */
  | { readonly kind: 'done' }
  /** What the worker has measured since the last such message. */
  | {
      readonly kind: 'observed'
      readonly requests: readonly RequestObservation[]
      readonly turns: number
      readonly connections: number
    }
  /** Whole lines of a log. */
  | { readonly kind: 'lines'; readonly log: LogName; readonly lines: string }
  /** Lines of access logs. */
  | { readonly kind: 'accesses'; readonly accesses: readonly LoggedAccess[] }
  /** Asks for the metrics. */
  | { readonly kind: 'metrics'; readonly id: number }
  | { readonly kind: 'request'; readonly entry: RequestLog; readonly error?: PlainError }

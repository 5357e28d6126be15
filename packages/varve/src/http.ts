/** The S3 server for a store in this process: `varve/http`. It is `@varve/http` with Node's hashing. @module */
import type * as http from '@varve/http'
import { type Hashing, type RequestStore, schema, type Store } from '@varve/core'
import type { AccessLogOptions } from './access-logs/access-logs.ts'
import { consoleDirectory } from './files/console-directory.ts'

export type {
  BegunRequest,
  BucketDefaults,
  BuiltRow,
  ConnectionServer,
  ConnectionServerOptions,
  Dialect,
  DialectName,
  DialectPoint,
  ErrorRow,
  FailingPart,
  FetchHandler,
  Handler,
  HttpErrorCode,
  Identity,
  IdentityFields,
  IpRange,
  Listener,
  ListenerOptions,
  MetricsSource,
  MinimumSpeed,
  NodeHealth,
  OperationRow,
  Policy,
  RequestErrorCode,
  RequestLog,
  RequestLine,
  RequestLogger,
  RequestSpan,
  RequestToSign,
  RequestTracing,
  RunningServer,
  S3Action,
  S3ErrorOptions,
  RateLimit,
  RateLimitOptions,
  Role,
  ServiceOptions,
  Sessions,
  Signatures,
  SignedRequest,
  SigningOptions,
  Statement,
  TlsMaterial,
  UnbuiltRow,
  When,
  WireError,
} from '@varve/http'
export {
  combineIdentities,
  createIdentity,
  dialects,
  identitiesFromEnvironment,
  isS3Error,
  parseIdentities,
  parseIpRange,
  parsePolicy,
  presign,
  S3Error,
  signRequest,
} from '@varve/http'
export type { AccessLogOptions } from './access-logs/access-logs.ts'
export { followIdentities } from './identities/follow-identities.ts'
export { loadIdentityFile } from './identities/identity-file.ts'
export { ensureRootCredentials, type RootCredentials } from './identities/root-credentials.ts'

interface OwnOptions {
  /** @default Node's hashing */
  readonly hashing?: Hashing
  /**
   * Answers the console below `/-/console/`, and sends browsers from `/` to it. `true` for `@varve/console`, or the directory
   * of other files. The console needs `controlStore`. @default false
   */
  readonly console?: boolean | string
}

interface WithAccessLogs {
  /**
   * How the access logs of buckets (`PutBucketLogging`) are delivered; `false`: not at all. What waits is delivered when the server is
   * closed, so close the store after that.
   * @default every 5 minutes, and when an object has 1 MiB
   */
  readonly accessLogs?: false | AccessLogOptions
}

/** Options of `createHandler`. */
export type HandlerOptions = Omit<http.HandlerOptions, keyof OwnOptions | 'accessLog'> & OwnOptions & WithAccessLogs
/** Options of `createFetchHandler`. */
export type FetchHandlerOptions = Omit<http.ServiceOptions, keyof OwnOptions> & OwnOptions
/** Options of `serve`. */
export type ServeOptions = Omit<http.ServeOptions, keyof OwnOptions | 'accessLog'> & OwnOptions & WithAccessLogs

const connectionsMost = 10_000

/**
 * Listens and answers requests until it is closed. If the process may open only few files, connections get their share
 * of them: connections beyond that share are not kept, so that the store always has its files. One client can use half
 * of the files for bodies. Closing the server leaves the store open.
 * @throws what listening throws; StorageError `InvalidArgument` for invalid options
 */
export async function serve(options: ServeOptions): Promise<http.RunningServer> {
  const { openFilesShares, serve: listen } = await import('./server-parts.ts')
  const copy = await withAccessLog(await completed(options))
  const connectionsMax = copy.connectionsMax ?? Math.min(connectionsMost, openFilesShares().connections)
  return listen({ ...copy, connectionsMax })
}

/** Listeners for a `node:http` server of your own. @throws StorageError `InvalidArgument` for invalid options */
export async function createHandler(options: HandlerOptions): Promise<http.Handler> {
  const { createHandler: create } = await import('./server-parts.ts')
  return create(await withAccessLog(await completed(options)))
}

/** The server in fetch style: `Request → Response`. @throws StorageError `InvalidArgument` for invalid options */
export async function createFetchHandler(options: FetchHandlerOptions): Promise<http.FetchHandler> {
  const { createFetchHandler: create } = await import('./server-parts.ts')
  return create(await completed(options))
}

/** A store of the wrong type is refused later, by `@varve/http`. @throws StorageError `InvalidArgument` */
async function withAccessLog<T extends WithAccessLogs & Pick<http.HandlerOptions, 'store' | 'now' | 'controlStore'>>({
  accessLogs,
  ...options
}: T): Promise<Omit<T, 'accessLogs'> & Pick<http.HandlerOptions, 'accessLog'>> {
  const { store, now, controlStore } = options
  if (accessLogs === false || !isStore(store)) return options
  const { accessLog, accessLogOptions } = await import('./server-parts.ts')
  const how = schema.checked('options.accessLogs', accessLogOptions, accessLogs === undefined ? {} : accessLogs)
  const current = () => (typeof controlStore === 'function' ? controlStore() : (store as Store))
  const parts = { ...how, store, current, now: typeof now === 'function' ? now : undefined }
  return { ...options, accessLog: accessLog(parts) }
}

const isStore = (value: unknown): value is RequestStore =>
  typeof value === 'object' && value !== null && 'buckets' in value

const anything: schema.Schema<unknown> = { read: (value) => value, accepts: () => true }

/** Copies the options, reading each once. `@varve/http` checks their values. @throws StorageError `InvalidArgument` */
async function completed<T extends OwnOptions & { readonly bodyBytesMax?: number }>(
  options: T,
): Promise<Omit<T, 'console'> & Completed> {
  const copy = schema.checked('options', schema.record(anything), options) as T
  const { bodyBytesFor, nodeHashing, openFilesShares } = await import('./server-parts.ts')
  const { hashing = await nodeHashing(), bodyBytesMax = bodyBytesFor(openFilesShares().blobs) } = copy
  const { console: given = false, ...rest } = copy
  const directory = given === true ? consoleDirectory() : given
  return { ...rest, hashing, bodyBytesMax, ...(directory !== false && { console: directory }) }
}

interface Completed {
  readonly hashing: Hashing
  readonly bodyBytesMax: number
  readonly console?: string
}

/** The S3 server for a store in this process: `varve/http`. It is `@varve/http` with Node's hashing. @module */
import * as http from '@varve/http'
import { nodeHashing, openFilesShares } from '@varve/adapters'
import { type Hashing, type RequestStore, schema, type Store } from '@varve/core'
import { accessLog, accessLogOptions, type AccessLogOptions } from './access-logs/access-logs.ts'

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
  OperationRow,
  Policy,
  RequestErrorCode,
  RequestLog,
  RequestLogger,
  RequestSpan,
  RequestToSign,
  RequestTracing,
  RunningServer,
  S3Action,
  S3ErrorOptions,
  ServiceOptions,
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
export { loadIdentityFile } from './identities/identity-file.ts'
export { ensureRootCredentials, type RootCredentials } from './identities/root-credentials.ts'

interface WithHashing {
  /** @default Node's hashing */
  readonly hashing?: Hashing
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
export type HandlerOptions = Omit<http.HandlerOptions, 'hashing' | 'accessLog'> & WithHashing & WithAccessLogs
/** Options of `createFetchHandler`. */
export type FetchHandlerOptions = Omit<http.ServiceOptions, 'hashing'> & WithHashing
/** Options of `serve`. */
export type ServeOptions = Omit<http.ServeOptions, 'hashing' | 'accessLog'> & WithHashing & WithAccessLogs

const connectionsMost = 10_000

/**
 * Listens and answers requests until it is closed. If the process may open only few files, connections get their share
 * of them: connections beyond that share are not kept, so that the store always has its files. One client can use half
 * of the files for bodies. Closing the server leaves the store open.
 * @throws what listening throws; StorageError `InvalidArgument` for invalid options
 */
export async function serve(options: ServeOptions): Promise<http.RunningServer> {
  const copy = withAccessLog(await withHashing(options))
  const connectionsMax = copy.connectionsMax ?? Math.min(connectionsMost, openFilesShares().connections)
  return http.serve({ ...copy, connectionsMax })
}

/** Listeners for a `node:http` server of your own. @throws StorageError `InvalidArgument` for invalid options */
export async function createHandler(options: HandlerOptions): Promise<http.Handler> {
  return http.createHandler(withAccessLog(await withHashing(options)))
}

/** The server in fetch style: `Request → Response`. @throws StorageError `InvalidArgument` for invalid options */
export async function createFetchHandler(options: FetchHandlerOptions): Promise<http.FetchHandler> {
  return http.createFetchHandler(await withHashing(options))
}

/** A store of the wrong type is refused later, by `@varve/http`. @throws StorageError `InvalidArgument` */
function withAccessLog<T extends WithAccessLogs & Pick<http.HandlerOptions, 'store' | 'now' | 'controlStore'>>({
  accessLogs,
  ...options
}: T): Omit<T, 'accessLogs'> & Pick<http.HandlerOptions, 'accessLog'> {
  const { store, now, controlStore } = options
  if (accessLogs === false || !isStore(store)) return options
  const how = schema.checked('options.accessLogs', accessLogOptions, accessLogs === undefined ? {} : accessLogs)
  const current = () => (typeof controlStore === 'function' ? controlStore() : (store as Store))
  const parts = { ...how, store, current, now: typeof now === 'function' ? now : undefined }
  return { ...options, accessLog: accessLog(parts) }
}

const isStore = (value: unknown): value is RequestStore =>
  typeof value === 'object' && value !== null && 'buckets' in value

const anything: schema.Schema<unknown> = { read: (value) => value, accepts: () => true }

/** Copies the options, reading each once. `@varve/http` checks their values. @throws StorageError `InvalidArgument` */
async function withHashing<T extends WithHashing & { readonly bodyBytesMax?: number }>(
  options: T,
): Promise<T & { readonly hashing: Hashing; readonly bodyBytesMax: number }> {
  const copy = schema.checked('options', schema.record(anything), options) as T
  const { hashing = await nodeHashing(), bodyBytesMax = http.bodyBytesFor(openFilesShares().blobs) } = copy
  return { ...copy, hashing, bodyBytesMax }
}

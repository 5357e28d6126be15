/** The S3 server for a store in this process: `varve/http`. What `@varve/http` has, with Node's digests put in. @module */
import * as http from '@varve/http'
import { nodeHashing, openFilesShares } from '@varve/adapters'
import { type Hashing, schema } from '@varve/core'

export type {
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
  MinimumSpeed,
  OperationRow,
  Policy,
  RequestErrorCode,
  RequestLog,
  RequestToSign,
  RunningServer,
  S3Action,
  S3ErrorOptions,
  ServiceOptions,
  Signatures,
  SignedRequest,
  SigningOptions,
  Statement,
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
export { loadIdentityFile } from './identities/identity-file.ts'
export { ensureRootCredentials, type RootCredentials } from './identities/root-credentials.ts'

interface WithHashing {
  /** @default Node's own */
  readonly hashing?: Hashing
}

/** Options of `createHandler`. */
export type HandlerOptions = Omit<http.HandlerOptions, 'hashing'> & WithHashing
/** Options of `createFetchHandler`. */
export type FetchHandlerOptions = Omit<http.ServiceOptions, 'hashing'> & WithHashing
/** Options of `serve`. */
export type ServeOptions = Omit<http.ServeOptions, 'hashing'> & WithHashing

const connectionsMost = 10_000

/**
 * Listens and answers until it is closed. Where the process may open few files, connections have their share of them:
 * those beyond it are not taken, so that none is missing to the store. One client can have half of the files for bodies. The store stays open when this is closed.
 * @throws what listening throws; StorageError `InvalidArgument` for options that cannot be
 */
export async function serve(options: ServeOptions): Promise<http.RunningServer> {
  const copy = await withHashing(options)
  const connectionsMax = copy.connectionsMax ?? Math.min(connectionsMost, openFilesShares().connections)
  return http.serve({ ...copy, connectionsMax })
}

/** Listeners for a `node:http` server of your own. @throws StorageError `InvalidArgument` for options that cannot be */
export async function createHandler(options: HandlerOptions): Promise<http.Handler> {
  return http.createHandler(await withHashing(options))
}

/** The same in fetch style: `Request → Response`. @throws StorageError `InvalidArgument` for options that cannot be */
export async function createFetchHandler(options: FetchHandlerOptions): Promise<http.FetchHandler> {
  return http.createFetchHandler(await withHashing(options))
}

const anything: schema.Schema<unknown> = { read: (value) => value, accepts: () => true }

/** A copy: each option is read once. What they may be, `@varve/http` checks. @throws StorageError `InvalidArgument` */
async function withHashing<T extends WithHashing & { readonly bodyBytesMax?: number }>(
  options: T,
): Promise<T & { readonly hashing: Hashing; readonly bodyBytesMax: number }> {
  const copy = schema.checked('options', schema.record(anything), options) as T
  const { hashing = await nodeHashing(), bodyBytesMax = http.bodyBytesFor(openFilesShares().blobs) } = copy
  return { ...copy, hashing, bodyBytesMax }
}

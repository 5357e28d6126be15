/** Checks the arguments of this package's functions at run time. Each value is read once, into a frozen copy. */
import { observer, schema } from '@varve/core'
import type { Hashing, RequestStore } from '@varve/core'
import { dialects, signatures } from '../contract/dialect.ts'
import type { DialectName } from '../contract/dialect.ts'
import type { Identity } from '../access/identity.ts'
import type { Sessions } from '../credentials/identity-directory.ts'
import { identities } from '../access/identity-schema.ts'
import { roles } from '../access/role-schema.ts'
import type { HandlerOptions, LimitOptions, ServeOptions, ListenerOptions, TlsMaterial } from './server-options.ts'
import type { MetricsSource } from '../contract/metrics-source.ts'
import type { NodeHealth } from '../contract/node-health.ts'
import type { StoreMover } from '../control/move-rows.ts'
import type { MinimumSpeed } from './minimum-speed.ts'
import type { RateLimitOptions } from '../rate-limits/rate-limits.ts'
import type { RateLimit } from '../rate-limits/token-buckets.ts'
import type { AccessLog } from '../access-log/collect-access.ts'
import type { RequestTracing } from '../contract/request-tracing.ts'
import type { RequestLogger } from '../observing/request-logger.ts'
import { tls } from './tls-schema.ts'
import type { ServiceHooks } from '../contract/service-hooks.ts'
import type { ServiceOptions } from '../pipeline/service-options.ts'

const { array, boolean, callable, checked, either, implementing, integer, literal, Mismatch, object, optional, text } =
  schema
type FieldsOf<T> = schema.FieldsOf<T>

const timerMaxMs = 2 ** 31 - 1
const portMax = 65_535
const regionShape = /^[A-Za-z0-9-]{1,64}$/

const duration = (min: number) => optional(integer({ min, max: timerMaxMs }))
const texts = optional(array(text({ min: 1 })))

const region: schema.Schema<string> = {
  read(value) {
    const name = text().read(value)
    if (!regionShape.test(name)) throw new Mismatch('must be the name of a region: 1 to 64 letters, digits and -')
    return name
  },
  accepts: (value) => typeof value === 'string',
}

const regions: schema.Schema<readonly [string, ...string[]]> = {
  read(value) {
    const [first, ...others] = array(region).read(value)
    if (first === undefined) throw new Mismatch('must not be empty')
    return Object.freeze([first, ...others] as const) as readonly [string, ...string[]]
  },
  accepts: (value) => Array.isArray(value),
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null

const store = implementing<RequestStore>('a store', ['as'], ({ buckets, objects, versions, uploads }) =>
  [buckets, objects, versions, uploads].every(isObject),
)

const tokenKey: schema.Schema<string> = {
  read(value) {
    const found = text().read(value)
    if (!/^[A-Za-z0-9+/]{43}=$/.test(found)) throw new Mismatch('must be 32 bytes in base64: 44 characters')
    return found
  },
  accepts: (value) => typeof value === 'string',
}

/** More than this limits nothing, and less cannot be counted. */
const rateMax = 1e6
const rate: schema.Schema<number> = {
  read(value) {
    const found = schema.number.read(value)
    if (found < 0.001 || found > rateMax) throw new Mismatch(`must be from 0.001 to ${rateMax}`)
    return found
  },
  accepts: (value) => typeof value === 'number',
}
const rateLimit = object<RateLimit>({ perSecond: rate, burst: optional(integer({ min: 1, max: rateMax })) })
const rateLimits = object<RateLimitOptions>({ address: optional(rateLimit), identity: optional(rateLimit) })

const sessions = object<Sessions>({ roles, tokenKey })

const metricsSource = implementing<MetricsSource>(
  'metrics',
  ['text'],
  ({ contentType, token }) => typeof contentType === 'string' && (token === undefined || isToken(token)),
)

const nodeHealth = implementing<NodeHealth>('the health of a node', ['failing'], ({ name }) => typeof name === 'string')

const requestLogger = implementing<RequestLogger>('a logger', ['info', 'warn', 'error'])

const isToken = (token: unknown): boolean => typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)

type ServiceFields = FieldsOf<ServiceOptions>

const serviceFields: ServiceFields = {
  store,
  identities,
  hashing: implementing<Hashing>('what makes digests', ['create', 'sha256', 'crc32']),
  dialect: optional(literal(...(Object.keys(dialects) as DialectName[]))),
  region: optional(region),
  signingRegions: optional(
    either<'any' | readonly [string, ...string[]]>("'any', or names of regions", literal('any'), regions),
  ),
  unsignedPayload: optional(literal('allow', 'refuse')),
  signatures: optional(literal(...signatures)),
  hostSuffixes: texts,
  websiteSuffixes: texts,
  bucketDefaults: optional(literal('closed', 'open')),
  namespace: optional(text()),
  keepAliveAfterMs: duration(1),
  keepAliveEveryMs: duration(1),
  notificationTargets: texts,
  controlStore: optional(callable()),
  controlForward: optional(callable()),
  openLog: optional(boolean),
  followedPosition: optional(callable()),
  mover: optional(implementing<StoreMover>('what moves the store', ['begin', 'status', 'stop'])),
  rateLimits: optional(rateLimits),
  sessions: optional(sessions),
  hooks: optional(implementing<ServiceHooks>('hooks of a service', ['intercept'])),
  now: optional(callable()),
  observer: optional(observer),
  metrics: optional(metricsSource),
  node: optional(nodeHealth),
  console: optional(text({ min: 1 })),
  tracing: optional(implementing<RequestTracing>('tracing', ['request'])),
  requestLog: optional(requestLogger),
  auditLog: optional(requestLogger),
  documentBytesMax: optional(integer({ min: 1 })),
  answerBytesMax: optional(integer({ min: 1 })),
  bodyBytesMax: optional(integer({ min: 1 })),
}

const handlerFields: FieldsOf<HandlerOptions> = {
  ...serviceFields,
  log: optional(callable()),
  accessLog: optional(implementing<AccessLog>('an access log', ['ended', 'close'])),
  minimumSpeed: optional(
    object<MinimumSpeed>({ bytesPerSecond: integer({ min: 0 }), windowMs: integer({ min: 1, max: timerMaxMs }) }),
  ),
  trustedProxies: texts,
}

const limitFields: FieldsOf<LimitOptions> = {
  ...handlerFields,
  tls: optional(tls),
  connectionsMax: optional(integer({ min: 1 })),
  requestsPerConnectionMax: optional(integer({ min: 0 })),
  headersTimeoutMs: duration(0),
  idleTimeoutMs: duration(0),
  keepAliveTimeoutMs: duration(0),
}

const addressFields: FieldsOf<Pick<ServeOptions, 'host' | 'port' | 'fd'>> = {
  host: optional(text({ min: 1 })),
  port: optional(integer({ min: 0, max: portMax })),
  fd: optional(integer({ min: 3, max: 65_535 })),
}

const serviceOptions = object<ServiceOptions>(serviceFields)
const handlerOptions = object<HandlerOptions>(handlerFields)
const connectionServerOptions = object<LimitOptions>(limitFields)
const serveOptions = object<ServeOptions>({ ...limitFields, ...addressFields })
const address = object<ListenerOptions>({ ...addressFields, scheme: optional(literal('http', 'https')) })
const closing = object<{ readonly graceMs?: number }>({ graceMs: duration(0) })
const request = implementing<Request>(
  'a Request',
  ['arrayBuffer'],
  ({ url, method, headers }) => typeof url === 'string' && typeof method === 'string' && isObject(headers),
)

/** @throws StorageError `InvalidArgument` that names the wrong option; this holds for each function below */
export const checkServiceOptions = (given: unknown): ServiceOptions => checked('options', serviceOptions, given)
export const checkHandlerOptions = (given: unknown): HandlerOptions => checked('options', handlerOptions, given)
export const checkConnectionServerOptions = (given: unknown): LimitOptions =>
  checked('options', connectionServerOptions, given)
export const checkServeOptions = (given: unknown): ServeOptions => checked('options', serveOptions, given)
export const checkAddress = (given: unknown): ListenerOptions => checked('options', address, given)
export const checkRequest = (given: unknown): Request => checked('request', request, given)

export const checkIdentities = (given: unknown): readonly Identity[] => checked('identities', identities, given)
export const checkSessions = (given: unknown): Sessions | undefined =>
  given === undefined ? undefined : checked('sessions', sessions, given)
export const checkTls = (given: unknown): TlsMaterial => checked('tls', tls, given)

/** How long `close` waits, in milliseconds. */
export const graceOf = (given: unknown = {}): number => checked('options', closing, given).graceMs ?? 10_000

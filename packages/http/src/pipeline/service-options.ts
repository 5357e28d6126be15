/** Options of the S3 service, independent of the server that runs it. */

import type { Hashing, Observer, Observing, OwnedLog, RequestStore, Store } from '@varve/core'
import { JudgedBuckets } from '../access/judged-buckets.ts'
import type { People } from '../access/grantees.ts'
import { IdentityDirectory, type Sessions } from '../credentials/identity-directory.ts'
import type { Identity } from '../access/identity.ts'
import { type BudgetOptions, Budgets } from '../budgets/request-budget.ts'
import type { ConsoleHost } from '../console/answer-console.ts'
import { readOnce } from '../console/console-files.ts'
import { guardOf, type OriginGuard } from '../console/guarded-origin.ts'
import { CorsRules } from '../cors/cors-rules.ts'
import { dialects } from '../contract/dialect.ts'
import type { Dialect, DialectName, Signatures } from '../contract/dialect.ts'
import { ShownLog } from './shown-log.ts'
import type { ControlPlace } from '../control/answer-control.ts'
import type { ControlForward } from '../control/forward-control.ts'
import type { StoreMover } from '../control/move-rows.ts'
import { DownloadSlots } from '../contract/download-slots.ts'
import type { BucketDefaults } from '../contract/bucket-defaults.ts'
import type { OperationOptions } from '../contract/operation.ts'
import type { ServiceHooks } from '../contract/service-hooks.ts'
import type { FormSigners } from '../form/form-signature.ts'
import { signedParameters } from './signed-parameters.ts'
import type { RequestLogger } from '../observing/request-logger.ts'
import { observingOf } from '../observing/report-request.ts'
import type { RequestTracing } from '../contract/request-tracing.ts'
import type { MetricsSource } from '../contract/metrics-source.ts'
import type { NodeHealth } from '../contract/node-health.ts'
import { createVerifier } from '../authentication/create-verifier.ts'
import { type RateLimitOptions, RateLimits } from '../rate-limits/rate-limits.ts'
import { s3Namespace } from '../xml/write.ts'

/** What the S3 service needs: identities, limits and the behaviour where servers differ. */
export interface ServiceOptions extends BudgetOptions {
  readonly store: RequestStore
  /** The identities. All other requesters may do only what buckets and objects allow to everyone. */
  readonly identities: readonly Identity[]
  readonly hashing: Hashing
  /** @default 'neutral' */
  readonly dialect?: DialectName
  /** The region of the buckets. @default the dialect's: `eu` or `us-east-1` */
  readonly region?: string
  /** Regions that signatures may name. @default `region`, and `us-east-1`, which many clients never change */
  readonly signingRegions?: 'any' | readonly [string, ...string[]]
  /**
   * `refuse` rejects bodies that no signature covers. They are allowed by default, since the defaults of clients need
   * it. On plain HTTP beyond loopback, an attacker on the network could then change the stored bytes. @default 'allow'
   */
  readonly unsignedPayload?: 'allow' | 'refuse'
  /**
   * Signatures that requests and URLs may have. Version 2 is obsolete, but clients still make URLs with it: boto3 and the
   * AWS CLI do in most regions. @default the dialect's: `v4` in neutral, `v2+v4` in aws
   */
  readonly signatures?: Signatures
  /** `bucket.suffix` in the Host header addresses a bucket. Lower case, no port. @default ['localhost'] */
  readonly hostSuffixes?: readonly string[]
  /** `bucket.suffix` in the Host header is the bucket's website. Lower case, no port. @default none */
  readonly websiteSuffixes?: readonly string[]
  /**
   * The settings of new buckets. `closed`: as in S3 since 2023: nothing is public, and the bucket owner owns all
   * objects. `open`: as in S3 before 2023: access control lists count. @default `closed`
   */
  readonly bucketDefaults?: BucketDefaults
  /** XML namespace of answers. @default the namespace of S3 */
  readonly namespace?: string
  /** How long CompleteMultipartUpload may take before its status is sent, in milliseconds. @default 5000 */
  readonly keepAliveAfterMs?: number
  /** The pause between two pieces of white space after that, in milliseconds. @default 5000 */
  readonly keepAliveEveryMs?: number
  /** The position of a store that follows another one, for the header `x-varve-position`. @default answers do not have the header */
  readonly followedPosition?: () => number | undefined
  /** ARNs that notifications can be sent to: those of the store's webhooks. @default none */
  readonly notificationTargets?: readonly string[]
  /**
   * The store whose log the control API under `/-/v1/` shows, as it is open now. Requests are signed; identities need
   * actions of their own, such as `varve:ReadLog`, or root. @default there is no control API on this server
   */
  readonly controlStore?: () => Store
  /** As `controlStore`, for a store that another process has open. @internal */
  readonly controlForward?: () => ControlForward
  /**
   * Shows checkpoints and hashes of the log below `/-/log/` to everyone. They have no names, but say how many events there are.
   * @default false: requests are signed and need `varve:ReadCheckpoints`
   */
  readonly openLog?: boolean
  /** Moves the store, if it can be moved while it is served. @internal */
  readonly mover?: StoreMover
  /** How many requests addresses and identities can make. @default no limits */
  readonly rateLimits?: RateLimitOptions
  /** Temporary credentials. @default this server neither gives nor accepts any */
  readonly sessions?: Sessions
  /** For `varve/testing`. @internal */
  readonly hooks?: ServiceHooks
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number
  /** Receives measurements of requests, for metrics and traces. @default nothing is measured */
  readonly observer?: Observer
  /** Answers `GET /-/metrics`. @default there is no such path */
  readonly metrics?: MetricsSource
  /** What `GET /-/health` asks on a server that shares its store with others. @default it asks only the store itself */
  readonly node?: NodeHealth
  /** The directory of the console's files, which are answered below `/-/console/`. @default there is no such path */
  readonly console?: string
  /** Follows requests as spans: that of `varve/opentelemetry`. @default requests are not followed */
  readonly tracing?: RequestTracing
  /** Writes a line for each request that ended: a logger of `pino`, or one with the same methods. @default no lines */
  readonly requestLog?: RequestLogger
  /** Writes a line for each refusal and each action of the control API. A logger as `requestLog`. @default no lines */
  readonly auditLog?: RequestLogger
}

/** The options of the service with all defaults filled in. */
export interface Service {
  readonly store: RequestStore
  readonly hashing: Hashing
  readonly dialect: Dialect
  readonly options: OperationOptions
  readonly downloads: DownloadSlots
  readonly budgets: Budgets
  readonly hostSuffixes: readonly string[]
  readonly websiteSuffixes: readonly string[]
  readonly now: () => number
  /** Aborts when the server stops: a followed log would never end by itself. */
  readonly stopping: AbortController
  /** Absent: the server has no control API. */
  readonly control: (() => ControlPlace) | undefined
  readonly shownLog: ShownLog
  /** Absent: the store cannot be moved while it is served. */
  readonly mover: StoreMover | undefined
  /** Absent: the store follows no other one. */
  readonly followedPosition: ServiceOptions['followedPosition']
  /** Absent: no request is intercepted. */
  readonly intercept: ServiceHooks['intercept'] | undefined
  /** Absent: nothing is measured. */
  readonly observing: Observing | undefined
  /** Absent: there are no metrics on this server. */
  readonly metrics: MetricsSource | undefined
  /** Absent: no other server has this store. */
  readonly node: NodeHealth | undefined
  /** Absent: there is no console on this server. */
  readonly console: ConsoleHost['console']
  readonly guard: OriginGuard
  /** Absent: requests are not followed. */
  readonly tracing: RequestTracing | undefined
  readonly identities: IdentityDirectory
  /** Resolves when requests can be judged by the identities of this server; `undefined` if they can now. */
  readonly identitiesKnown: () => Promise<void> | undefined
  readonly rateLimits: RateLimits
  /** The state that authorisation uses. */
  readonly access: { readonly buckets: JudgedBuckets; readonly people: People }
  readonly corsRules: CorsRules
  readonly verify: ReturnType<typeof createVerifier<Identity>>
  /** The accepted signatures, and whether bodies must be signed. */
  readonly signers: FormSigners<Identity> & { readonly unsignedPayload: 'allow' | 'refuse' }
}

const defaults = {
  dialect: 'neutral',
  unsignedPayload: 'allow',
  hostSuffixes: ['localhost'],
  websiteSuffixes: [],
  namespace: s3Namespace,
  keepAliveAfterMs: 5000,
  keepAliveEveryMs: 5000,
  notificationTargets: [],
  now: Date.now,
} as const satisfies Partial<ServiceOptions>

/** What only some stores have. */
const aboutStore = (given: ServiceOptions): Pick<Service, 'mover' | 'followedPosition' | 'identitiesKnown'> => ({
  mover: given.mover,
  followedPosition: given.followedPosition,
  identitiesKnown: () => followersOf(given)?.recent(),
})

const consoleOf = (
  given: ServiceOptions,
  hosts: Pick<Service, 'hostSuffixes' | 'websiteSuffixes'>,
): Pick<Service, 'console' | 'guard'> => {
  const files = given.console === undefined ? undefined : readOnce(given.console)
  return { console: files, guard: guardOf({ ...hosts, console: files }) }
}

/** @param given Checked options: see checked-options.ts. */
export function createService(given: ServiceOptions): Service {
  const all = { ...defaults, ...given }
  const {
    store,
    hashing,
    hostSuffixes,
    websiteSuffixes,
    now,
    namespace,
    keepAliveAfterMs,
    keepAliveEveryMs,
    notificationTargets,
    unsignedPayload,
  } = all
  const dialect = dialects[all.dialect]
  const { region = dialect.defaultRegion, signingRegions = [region, 'us-east-1'] } = given
  const { hooks } = given
  const identities = new IdentityDirectory(given.identities, {
    findOther: (accessKeyId) => hooks?.findIdentity?.(accessKeyId),
    sessions: given.sessions,
    now,
  })
  const credentials = (accessKeyId: string, token?: string) => identities.find(accessKeyId, token)
  const signers = { regions: signingRegions, credentials, unsignedPayload }
  const { signatures = dialect.signatures } = given
  const verify = createVerifier<Identity>({
    ...signers,
    v2Parameters: signatures === 'v2+v4' ? signedParameters : undefined,
    ...(hooks?.maxSkewMs !== undefined && { maxSkewMs: hooks.maxSkewMs }),
  })
  const { bucketDefaults = 'closed' } = given
  const control = controlOf(given)
  const hasSnapshots = control !== undefined
  const options = {
    region,
    namespace,
    bucketDefaults,
    keepAliveAfterMs,
    keepAliveEveryMs,
    notificationTargets,
    hasSnapshots,
  }
  return {
    store,
    hashing,
    dialect,
    options,
    downloads: new DownloadSlots(),
    budgets: new Budgets(all),
    hostSuffixes,
    websiteSuffixes,
    now,
    stopping: new AbortController(),
    control,
    shownLog: new ShownLog(given.openLog === true, now),
    ...aboutStore(given),
    intercept: hooks && ((request, answer) => hooks.intercept(request, answer)),
    observing: observingOf(given.observer),
    metrics: given.metrics,
    node: given.node,
    ...consoleOf(given, { hostSuffixes, websiteSuffixes }),
    tracing: given.tracing,
    identities,
    rateLimits: new RateLimits(given.rateLimits),
    access: { buckets: new JudgedBuckets(), people: identities.people },
    corsRules: new CorsRules(),
    verify,
    signers,
  }
}

/** Other servers of the store can change identities. Absent for a store whose log is in no engine of this process. */
function followersOf({ controlStore, store }: ServiceOptions): OwnedLog['identityFollowers'] | undefined {
  const found: RequestStore | Store = controlStore?.() ?? store
  return 'owner' in found ? (found as Store).owner.identityFollowers : undefined
}

function controlOf({ controlStore, controlForward }: ServiceOptions): (() => ControlPlace) | undefined {
  if (controlForward !== undefined) return () => ({ forward: controlForward() })
  return controlStore && (() => ({ store: controlStore() }))
}

/**
 * The known condition keys, and the value of a request for each. A key of IAM that no request here can have is known
 * but always absent, as IAM treats such keys. A policy with a key that IAM does not know is refused.
 */

import type { Tag } from '@varve/core'
import { tagsIn } from '../headers/tags-in.ts'
import { parseIsoTime } from '../headers/iso-time.ts'
import { parseAmzDate, parseHttpDate } from '../headers/amz-date.ts'
import type { QueryParams } from '../target/query-params.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import { hasConditionKey } from './action-keys.ts'
import { turn } from '../turns/turn.ts'
import { anonymousNames, type Caller, namesOf } from './caller.ts'
import type { RequestKeys } from './condition-key.ts'
import type { Permission } from './permission.ts'
import { aclHeaderNames } from './permission-rule.ts'

/** The facts of a request that conditions use. */
export interface RequestContext {
  readonly identity: Caller | undefined
  /** Where the signature is: in a header, in the URL or in a form. */
  readonly signed: 'REST-HEADER' | 'REST-QUERY-STRING' | 'POST' | undefined
  /** The version of the signature. @default 'AWS4-HMAC-SHA256' */
  readonly signatureVersion?: 'AWS' | 'AWS4-HMAC-SHA256' | undefined
  readonly headers: RequestHeaders
  readonly query: QueryParams
  readonly secure: boolean
  readonly region: string
  /** The client's address. */
  readonly address: string | undefined
  /** The clock: milliseconds since the epoch. */
  readonly now: () => number
  /** Bucket and key of the source of a copy. */
  readonly source?: { readonly bucket: string; readonly key: string } | undefined
}

/** The facts of the resource that conditions use. */
export interface PermissionContext {
  readonly bucketOwner: string | undefined
  /** The permission: it decides which keys the request has. */
  readonly permission: Pick<Permission, 'action' | 'versionId' | 'prefix' | 'values'>
  /** The object's tags; present if a condition names them. */
  readonly tags?: readonly { readonly key: string; readonly value: string }[] | undefined
}

type Values = readonly string[] | undefined
type Read = (requestContext: RequestContext, of: PermissionContext) => Values

const one = (value: string | undefined): Values => (value === undefined ? undefined : [value])
const header =
  (name: string): Read =>
  ({ headers }) =>
    one(headers.get(name))

const readers: Readonly<Record<string, Read>> = {
  'aws:currenttime': ({ now }) => [new Date(now()).toISOString()],
  'aws:epochtime': ({ now }) => [String(Math.floor(now() / 1000))],
  // Only temporary credentials have these two, and none of them were given for a second factor.
  'aws:multifactorauthpresent': ({ identity }) => one(identity?.session && 'false'),
  'aws:principalaccount': ({ identity }) => one(identity?.id),
  'aws:principalarn': ({ identity }) => identity && namesOf(identity).arns,
  'aws:principalisawsservice': () => ['false'],
  'aws:principaltype': ({ identity }) => [identity === undefined ? anonymousNames.type : namesOf(identity).type],
  'aws:referer': header('referer'),
  'aws:requestedregion': ({ region }) => [region],
  'aws:resourceaccount': (_, { bucketOwner }) => one(bucketOwner),
  'aws:securetransport': ({ secure }) => [String(secure)],
  'aws:sourceip': ({ address }) => one(address),
  'aws:tokenissuetime': ({ identity }) => {
    const issuedAt = identity?.session?.issuedAt
    return one(issuedAt === undefined ? undefined : new Date(issuedAt).toISOString())
  },
  'aws:useragent': header('user-agent'),
  'aws:userid': ({ identity }) => [identity === undefined ? anonymousNames.userId : namesOf(identity).userId],
  'aws:username': ({ identity }) => one(identity && namesOf(identity).userName),
  'aws:viaawsservice': () => ['false'],
  's3:authtype': ({ signed }) => one(signed),
  's3:if-match': header('if-match'),
  's3:if-none-match': header('if-none-match'),
  's3:object-lock-legal-hold': header('x-amz-object-lock-legal-hold'),
  's3:object-lock-mode': header('x-amz-object-lock-mode'),
  's3:object-lock-remaining-retention-days': ({ headers, now }) => {
    const until = parseIsoTime(headers.get('x-amz-object-lock-retain-until-date') ?? '')
    return until === undefined ? undefined : remainingDays(until, now())
  },
  's3:object-lock-retain-until-date': header('x-amz-object-lock-retain-until-date'),
  's3:prefix': (_, { permission }) => one(permission.prefix),
  's3:requestobjecttagkeys': ({ headers }) => {
    return requestTags(headers)?.map(({ key }) => key)
  },
  's3:resourceaccount': (_, { bucketOwner }) => one(bucketOwner),
  's3:signatureage': (requestContext) => {
    const date = signedDate(requestContext)
    const at = date === undefined ? undefined : (parseAmzDate(date) ?? parseHttpDate(date))
    return at === undefined ? undefined : [String(requestContext.now() - at)]
  },
  's3:signatureversion': ({ signed, signatureVersion = 'AWS4-HMAC-SHA256' }) => one(signed && signatureVersion),
  's3:versionid': (_, { permission }) => one(permission.versionId),
  's3:x-amz-content-sha256': header('x-amz-content-sha256'),
  's3:x-amz-copy-source': ({ source }) => one(source && `${source.bucket}/${source.key}`),
}

/** The time of the signature. `Date` counts only without a better header, as in signatures. */
function signedDate({ signed, headers, query }: RequestContext): string | undefined {
  if (signed !== 'REST-QUERY-STRING') return signed && (headers.get('x-amz-date') ?? headers.get('date'))
  return query.entries.find(([name]) => /^x-(?:amz|svc)-date$/i.test(name))?.[1]
}

/** Keys that take their value from a header. */
const sameAsHeaders = [
  ...aclHeaderNames,
  'x-amz-metadata-directive',
  'x-amz-object-ownership',
  'x-amz-server-side-encryption',
  'x-amz-server-side-encryption-aws-kms-key-id',
  'x-amz-server-side-encryption-customer-algorithm',
  'x-amz-storage-class',
  'x-amz-website-redirect-location',
] as const

const all: ReadonlyMap<string, Read> = new Map([
  ...Object.entries(readers),
  ...sameAsHeaders.map((name) => [`s3:${name}`, header(name)] as const),
])

/** Keys that IAM has and requests here never have: this server has no organisations, VPCs or federations. */
const neverThere: ReadonlySet<string> = new Set(
  `aws:calledvia aws:calledviafirst aws:calledvialast aws:ec2instancesourceprivateipv4 aws:ec2instancesourcevpc
  aws:federatedprovider aws:multifactorauthage aws:principalorgid
  aws:principalorgpaths aws:principalservicename aws:principalservicenameslist aws:resourceorgid
  aws:resourceorgpaths aws:sourceaccount aws:sourcearn aws:sourceidentity aws:sourceorgid aws:sourceorgpaths
  aws:sourceowner aws:sourcevpc aws:sourcevpcarn aws:sourcevpce aws:tagkeys
  aws:vpceaccount aws:vpceorgid aws:vpceorgpaths aws:vpcsourceip s3:accessgrantsinstancearn s3:accesspointnetworkorigin
  s3:dataaccesspointaccount s3:dataaccesspointarn s3:destinationregion
  s3:inventoryaccessibleoptionalfields s3:isreplicationpauserequest s3:jobsuspendedcause s3:requestjoboperation s3:requestjobpriority s3:tlsversion`.split(
    /\s+/,
  ),
)

/** Families of keys that end in the name of a tag. Names of tags keep their case. */
const tagFamilies: Readonly<Record<string, ((name: string) => Read) | undefined>> = {
  's3:existingobjecttag':
    (name) =>
    (_, { tags }) =>
      one(tags?.find(({ key }) => key === name)?.value),
  's3:requestobjecttag':
    (name) =>
    ({ headers }) =>
      one(requestTags(headers)?.find(({ key }) => key === name)?.value),
  'aws:principaltag': undefined,
  'aws:requesttag': undefined,
  'aws:resourcetag': undefined,
  's3:accesspointtag': undefined,
  's3:buckettag': undefined,
}

/** The tags of a request, read once for all conditions on tags. */
const readTags = new WeakMap<RequestHeaders, { readonly tags: readonly Tag[] | undefined }>()

/** Reads tags as the operation does. Tags that the operation refuses count as absent. */
function requestTags(headers: RequestHeaders): readonly Tag[] | undefined {
  const read = readTags.get(headers) ?? { tags: tagsOrNone(headers) }
  readTags.set(headers, read)
  return read.tags
}

function tagsOrNone(headers: RequestHeaders): readonly Tag[] | undefined {
  turn.spend(headers.get('x-amz-tagging')?.length ?? 0)
  try {
    return tagsIn(headers)
  } catch {
    return undefined
  }
}

/** The days until a time, rounded up, as a value of a condition. */
export const remainingDays = (until: number, now: number): readonly string[] => [
  String(Math.ceil((until - now) / 86_400_000)),
]

/** Whether a policy may name the key, given in the spelling of `conditionKey`. */
export function isConditionKey(key: string): boolean {
  const slash = key.indexOf('/')
  if (slash === -1) return all.has(key) || givenKeys.has(key) || neverThere.has(key)
  return slash < key.length - 1 && Object.hasOwn(tagFamilies, key.slice(0, slash))
}

/** Whether what the key has are names of one thing, each as good as the others, and not a set of values. */
export const hasSeveralNames = (key: string): boolean => key === 'aws:principalarn'

/** Whether requests of some action have the key. */
export function isGivenByRequests(key: string): boolean {
  const slash = key.indexOf('/')
  return slash === -1 ? !neverThere.has(key) : tagFamilies[key.slice(0, slash)] !== undefined
}

/** The family of keys whose values are the tags of the object. */
export const existingTagKey = 's3:existingobjecttag'

/** Keys whose values operations give in `Permission.values`. */
const givenKeys: ReadonlySet<string> = new Set([
  's3:delimiter',
  's3:locationconstraint',
  's3:max-keys',
  's3:objectcreationoperation',
])

/** The values of a request for each key that the permission has. */
export function requestKeys(requestContext: RequestContext, of: PermissionContext): RequestKeys {
  const { action, values } = of.permission
  return (key) => {
    if (!hasConditionKey(action, key)) return undefined
    const value = values?.[key]
    if (value !== undefined) return value.length === 0 ? undefined : value
    const slash = key.indexOf('/')
    const family = key.slice(0, slash)
    // If the body lists tags, all other tags are absent.
    if (slash !== -1 && values?.[`${family}keys`] !== undefined) return undefined
    const read = slash === -1 ? all.get(key) : tagFamilies[family]?.(key.slice(slash + 1))
    return read?.(requestContext, of)
  }
}

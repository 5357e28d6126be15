/**
 * Keys of conditions: which there are, and what a request says under each. A key that nothing here can have is known all the
 * same, and is never there, which is what IAM makes of it; one that IAM does not know is refused in a policy.
 */

import type { QueryParams } from '../target/query-params.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import { anonymous } from './anonymous.ts'
import type { RequestKeys } from './condition-key.ts'

/** What of a request conditions can ask about. */
export interface Asked {
  readonly identity: { readonly id: string; readonly name: string } | undefined
  /** How it is signed: in a header, in the URL, in a form. */
  readonly signed: 'REST-HEADER' | 'REST-QUERY-STRING' | 'POST' | undefined
  /** Of the signature. @default 'AWS4-HMAC-SHA256' */
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

/** What of the thing asked about conditions can ask. */
export interface AskedOf {
  readonly bucketOwner: string | undefined
  /** Instead of what the query says: the prefix that a question implies. */
  readonly prefix?: string | undefined
  /** The object's tags, where some condition names them. */
  readonly tags?: readonly { readonly key: string; readonly value: string }[] | undefined
}

type Values = readonly string[] | undefined
type Read = (asked: Asked, of: AskedOf) => Values

const one = (value: string | undefined): Values => (value === undefined ? undefined : [value])
const header =
  (name: string): Read =>
  ({ headers }) =>
    one(headers.get(name))
const parameter =
  (name: string): Read =>
  ({ query }) =>
    one(query.get(name))

/** Everyone is an account of their own, and its only user. */
const arnOf = ({ id, name }: { readonly id: string; readonly name: string }): string =>
  `arn:aws:iam::${id}:user/${name}`

const readers: Readonly<Record<string, Read>> = {
  'aws:currenttime': ({ now }) => [new Date(now()).toISOString()],
  'aws:epochtime': ({ now }) => [String(Math.floor(now() / 1000))],
  'aws:principalaccount': ({ identity }) => one(identity?.id),
  'aws:principalarn': ({ identity }) => one(identity && arnOf(identity)),
  'aws:principalisawsservice': () => ['false'],
  'aws:principaltype': ({ identity }) => [identity === undefined ? 'Anonymous' : 'User'],
  'aws:referer': header('referer'),
  'aws:requestedregion': ({ region }) => [region],
  'aws:resourceaccount': (_, { bucketOwner }) => one(bucketOwner),
  'aws:securetransport': ({ secure }) => [String(secure)],
  'aws:sourceip': ({ address }) => one(address),
  'aws:useragent': header('user-agent'),
  'aws:userid': ({ identity }) => [identity?.id ?? anonymous.id],
  'aws:username': ({ identity }) => one(identity?.name),
  'aws:viaawsservice': () => ['false'],
  's3:authtype': ({ signed }) => one(signed),
  's3:delimiter': parameter('delimiter'),
  's3:if-match': header('if-match'),
  's3:if-none-match': header('if-none-match'),
  's3:max-keys': parameter('max-keys'),
  's3:object-lock-legal-hold': header('x-amz-object-lock-legal-hold'),
  's3:object-lock-mode': header('x-amz-object-lock-mode'),
  's3:object-lock-remaining-retention-days': ({ headers, now }) => {
    const until = Date.parse(headers.get('x-amz-object-lock-retain-until-date') ?? '')
    return Number.isNaN(until) ? undefined : [String(Math.ceil((until - now()) / 86_400_000))]
  },
  's3:object-lock-retain-until-date': header('x-amz-object-lock-retain-until-date'),
  's3:prefix': ({ query }, { prefix }) => one(prefix ?? query.get('prefix')),
  's3:requestobjecttagkeys': ({ headers }) => {
    const tags = requestTags(headers)
    return tags && [...tags.keys()]
  },
  's3:resourceaccount': (_, { bucketOwner }) => one(bucketOwner),
  's3:signatureage': ({ headers, query, now }) => {
    const date = headers.get('x-amz-date') ?? query.get('X-Amz-Date') ?? ''
    const at = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\dZ)$/, '$1-$2-$3:$4:$5'))
    return Number.isNaN(at) ? undefined : [String(now() - at)]
  },
  's3:signatureversion': ({ signed, signatureVersion = 'AWS4-HMAC-SHA256' }) => one(signed && signatureVersion),
  's3:versionid': parameter('versionId'),
  's3:x-amz-content-sha256': header('x-amz-content-sha256'),
  's3:x-amz-copy-source': ({ source }) => one(source && `${source.bucket}/${source.key}`),
}

/** What headers say under their own names. */
const sameAsHeaders = [
  'x-amz-acl',
  'x-amz-grant-full-control',
  'x-amz-grant-read',
  'x-amz-grant-read-acp',
  'x-amz-grant-write',
  'x-amz-grant-write-acp',
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

/** IAM has them, requests here never do: there are no organisations, networks of their own, federations or roles. */
const neverThere: ReadonlySet<string> = new Set(
  `aws:calledvia aws:calledviafirst aws:calledvialast aws:ec2instancesourceprivateipv4 aws:ec2instancesourcevpc
  aws:federatedprovider aws:multifactorauthage aws:multifactorauthpresent aws:principalorgid
  aws:principalorgpaths aws:principalservicename aws:principalservicenameslist aws:resourceorgid
  aws:resourceorgpaths aws:sourceaccount aws:sourcearn aws:sourceidentity aws:sourceorgid aws:sourceorgpaths
  aws:sourceowner aws:sourcevpc aws:sourcevpcarn aws:sourcevpce aws:tagkeys aws:tokenissuetime
  aws:vpceaccount aws:vpceorgid aws:vpceorgpaths aws:vpcsourceip s3:accessgrantsinstancearn s3:accesspointnetworkorigin
  s3:dataaccesspointaccount s3:dataaccesspointarn s3:destinationregion
  s3:inventoryaccessibleoptionalfields s3:isreplicationpauserequest s3:jobsuspendedcause s3:locationconstraint
  s3:objectcreationoperation s3:requestjoboperation s3:requestjobpriority s3:tlsversion`.split(/\s+/),
)

/** Keys that go on with the name of a tag; names of tags keep their case. */
const tagFamilies: Readonly<Record<string, ((name: string) => Read) | undefined>> = {
  's3:existingobjecttag':
    (name) =>
    (_, { tags }) =>
      one(tags?.find(({ key }) => key === name)?.value),
  's3:requestobjecttag':
    (name) =>
    ({ headers }) =>
      one(requestTags(headers)?.get(name) ?? undefined),
  'aws:principaltag': undefined,
  'aws:requesttag': undefined,
  'aws:resourcetag': undefined,
  's3:accesspointtag': undefined,
  's3:buckettag': undefined,
}

function requestTags(headers: RequestHeaders): URLSearchParams | undefined {
  const tagging = headers.get('x-amz-tagging')
  return tagging === undefined ? undefined : new URLSearchParams(tagging)
}

/** True for keys, in the spelling of `conditionKey`, that a policy may name. */
export function isConditionKey(key: string): boolean {
  const slash = key.indexOf('/')
  if (slash === -1) return all.has(key) || neverThere.has(key)
  return slash < key.length - 1 && Object.hasOwn(tagFamilies, key.slice(0, slash))
}

/** True for keys that only the tags of the object answer. */
export const asksForTags = (key: string): boolean => key.startsWith('s3:existingobjecttag/')

/** What a request says under each key. */
export function requestKeys(asked: Asked, of: AskedOf): RequestKeys {
  return (key) => {
    const slash = key.indexOf('/')
    const read = slash === -1 ? all.get(key) : tagFamilies[key.slice(0, slash)]?.(key.slice(slash + 1))
    return read?.(asked, of)
  }
}

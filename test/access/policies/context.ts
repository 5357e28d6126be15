/** The values of a request for a condition key, when an action is authorised. */

import { type Requested, keysOf } from './operations.ts'
import type { Request, World } from './world.ts'

export type Context = (key: string) => readonly string[] | undefined

const one = (value: string | undefined): readonly string[] | undefined => (value === undefined ? undefined : [value])

export function contextOf(world: World, request: Request, requested: Requested): Context {
  return (spelled) => {
    const slash = spelled.indexOf('/')
    const family = (slash === -1 ? spelled : spelled.slice(0, slash)).toLowerCase()
    const tag = slash === -1 ? '' : spelled.slice(slash + 1)
    if (family.startsWith('aws:')) return global(request, family.slice(4), bucketOwner(world, request, requested))
    const name = family.slice(3)
    return (
      everyRequest(request, name) ?? ofObject(world, requested, name, tag) ?? ofAction(request, requested, name, tag)
    )
  }
}

function ofObject(world: World, requested: Requested, name: string, tag: string): readonly string[] | undefined {
  if (name === 'existingobjecttag') return one(existing(world, requested)?.[tag])
  const isOfVersion = /Version|Retention|LegalHold/.test(requested.action)
  return name === 'versionid' && isOfVersion ? one(requested.versionId) : undefined
}

function ofAction(request: Request, requested: Requested, name: string, tag: string): readonly string[] | undefined {
  if (keysOf[requested.action]?.includes(name) !== true) return undefined
  const body = fromBody(request, requested, name, tag)
  if (body === undefined) return fromRequest(request, requested, name, tag)
  return body.length === 0 ? undefined : body
}

/** A bucket that is made will be the maker's. */
const bucketOwner = (world: World, { operation, who }: Request, { bucket }: Requested): string | undefined =>
  operation === 'CreateBucket' ? (who?.id ?? 'anonymous') : world.buckets[bucket ?? '']?.owner

const existing = (world: World, { bucket, key, versionId }: Requested) =>
  key === undefined
    ? undefined
    : world.buckets[bucket ?? '']?.objects[versionId === undefined ? key : `${key}@${versionId}`]?.tags

function global({ who, headers, address, secure, now }: Request, name: string, owner: string | undefined) {
  const values: Readonly<Record<string, string | undefined>> = {
    currenttime: new Date(now).toISOString(),
    epochtime: String(Math.floor(now / 1000)),
    principalaccount: who?.id,
    principalarn: who && (who.root ? `arn:aws:iam::${who.id}:root` : `arn:aws:iam::${who.id}:user/${who.name}`),
    principaltype: who === undefined ? 'Anonymous' : who.root ? 'Account' : 'User',
    referer: headers['referer'],
    resourceaccount: owner,
    securetransport: String(secure),
    sourceip: address,
    useragent: headers['user-agent'],
    userid: who?.id ?? 'anonymous',
    username: who?.root === true ? undefined : who?.name,
    viaawsservice: 'false',
  }
  return one(values[name])
}

function everyRequest({ signed, headers }: Request, name: string): readonly string[] | undefined {
  if (name === 'authtype') return one(signed)
  if (name === 'x-amz-content-sha256') return one(headers['x-amz-content-sha256'])
  return undefined
}

const bodies: Readonly<Record<string, readonly string[]>> = {
  PutObjectTagging: ['requestobjecttag', 'requestobjecttagkeys'],
  PutObjectRetention: ['object-lock-mode', 'object-lock-remaining-retention-days'],
  PutObjectLegalHold: ['object-lock-legal-hold'],
  CreateBucket: ['locationconstraint'],
}

/** An empty list means that the body sets no value. */
function fromBody({ operation, body }: Request, { action }: Requested, name: string, tag: string) {
  const isOwn = action === operation || (operation === 'PutObjectTagging' && action === 'PutObjectVersionTagging')
  if (!isOwn || bodies[operation]?.includes(name) !== true) return undefined
  return body[tag === '' ? `s3:${name}` : `s3:${name}/${tag}`] ?? []
}

function fromRequest(request: Request, requested: Requested, name: string, tag: string): readonly string[] | undefined {
  const { headers, operation, source, now } = request
  switch (name) {
    case 'prefix':
      return one(requested.prefix ?? listing(request, requested, 'prefix'))
    case 'delimiter':
    case 'max-keys':
      return requested.prefix === undefined ? one(listing(request, requested, name)) : undefined
    case 'objectcreationoperation':
      return [String(!operation.startsWith('UploadPart') && operation !== 'CreateMultipartUpload')]
    case 'x-amz-copy-source':
      return source === undefined ? undefined : [`${source.bucket}/${source.key}`]
    case 'requestobjecttag':
      return one(new URLSearchParams(headers['x-amz-tagging'] ?? '').get(tag) ?? undefined)
    case 'requestobjecttagkeys':
      return headers['x-amz-tagging'] === undefined
        ? undefined
        : [...new URLSearchParams(headers['x-amz-tagging']).keys()]
    case 'object-lock-mode':
    case 'object-lock-legal-hold':
      return one(headers[`x-amz-${name}`])
    case 'object-lock-remaining-retention-days': {
      const until = headers['x-amz-object-lock-retain-until-date']
      return until === undefined ? undefined : [String(Math.ceil((Date.parse(until) - now) / 86_400_000))]
    }
    default:
      return one(headers[name])
  }
}

/** Only operations that list have the parameters of a listing. */
const listing = ({ operation, query }: Request, { action }: Requested, name: string): string | undefined =>
  operation.startsWith('List') && action.startsWith('List') ? query[name] : undefined

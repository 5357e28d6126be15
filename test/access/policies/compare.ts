/** The server's judgement of a trial beside that of `judge.ts`. */

import { isStorageError, StorageError, type RequestStore } from '@varve/core'
import { parseBucketPolicy } from '#http/policies/bucket-policy'
import type { BucketAccess } from '#http/access/decide-access'
import { peopleOf } from '#http/access/grantees'
import type { Identity } from '#http/access/identity'
import { createIdentity } from '#http/access/identity-schema'
import { type AuthorisationRequest, isAllowed } from '#http/access/is-allowed'
import { parsePolicy } from '#http/policies/policy'
import { isS3Error } from '#http/errors/errors'
import type { Permission, ServiceContext, Subject } from '#http/contract/operation'
import { checkWithBody } from '#http/contract/permissions'
import { operations } from '#http/operations/table'
import type { OperationName } from '#http/access/permission-table'
import { parseQuery } from '#http/target/query-params'
import { createRequestHeaders } from '#http/target/request-headers'
import { bucketWithSettings } from '../../support/bucket-with-settings.ts'
import { type Trial, trialOf } from './generate.ts'
import { judge } from './judge.ts'
import { isOfBucket } from './operations.ts'
import type { Bucket, Request, Verdict, World } from './world.ts'

export interface Difference extends Trial {
  readonly seed: number
  readonly server: Verdict
  readonly expected: readonly Verdict[]
}

export interface Comparison {
  readonly counts: Readonly<Record<Verdict, number>>
  readonly differences: readonly Difference[]
}

/** Compares `count` trials from seed `from`; stops after `most` differences. */
export async function compare(from: number, count: number, most = 5): Promise<Comparison> {
  const counts: Record<Verdict, number> = { allowed: 0, denied: 0, absent: 0 }
  const differences: Difference[] = []
  for (let seed = from; seed < from + count && differences.length < most; seed += 1) {
    const trial = trialOf(seed)
    const expected = judge(trial.world, trial.request)
    const server = await serverAllows(trial)
    counts[server] += 1
    if (!expected.includes(server)) differences.push({ ...trial, seed, server, expected })
  }
  return { counts, differences }
}

async function serverAllows({ world, request }: Trial): Promise<Verdict> {
  try {
    return (await isPermitted(world, request)) ? 'allowed' : 'denied'
  } catch (error) {
    if (isS3Error(error, 'AccessDenied')) return 'denied'
    if (isS3Error(error, 'NoSuchKey', 'NoSuchVersion') || isStorageError(error, 'NoSuchKey', 'NoSuchVersion'))
      return 'absent'
    throw error
  }
}

async function isPermitted(world: World, request: Request): Promise<boolean> {
  const { operation, who, headers, query, body } = request
  const row = operations.find(({ name }) => name === operation)
  if (row?.handler === undefined) throw new TypeError(`There is no ${operation}.`)
  const subject = subjectOf(request)
  const { identities, access } = readyOf(world)
  const asking = authorisationRequest(world, request, identities)
  const own = { owner: { id: who?.id ?? 'anonymous', name: '' } }
  const allows = (permission: Permission) =>
    isAllowed(asking, permission, operation === 'CreateBucket' ? own : access.get(permission.bucket ?? ''))
  const sent = { headers: headersOf(headers), query: queryOf(query) }
  for (const permission of row.permissions(subject, sent)) if (!(await allows(permission))) return false
  await checkWithBody(operation as OperationName, { ...subject, allows } as unknown as ServiceContext, body)
  return true
}

function subjectOf({ operation, bucket, key, versionId, source }: Request): Subject {
  const place = operation === 'ListBuckets' ? {} : isOfBucket(operation) ? { bucket } : { bucket, key }
  return { ...place, ...(versionId !== undefined && { versionId }), ...(source && { source }) }
}

const headersOf = (headers: Request['headers']) => createRequestHeaders(Object.entries(headers).flat())
const queryOf = (query: Request['query']) => parseQuery(new URLSearchParams(query).toString())

interface Ready {
  readonly identities: ReadonlyMap<string, Identity>
  readonly access: ReadonlyMap<string, BucketAccess>
}

const ready = new WeakMap<World, Ready>()

function readyOf(world: World): Ready {
  const known = ready.get(world)
  if (known !== undefined) return known
  const made = {
    identities: new Map(world.people.map((person) => [person.id, identityOf(person)])),
    access: new Map(Object.values(world.buckets).map((one) => [one.name, accessOf(one)])),
  }
  ready.set(world, made)
  return made
}

const identityOf = ({ id, name, root, policy }: World['people'][number]): Identity =>
  createIdentity({
    id,
    name,
    root,
    accessKeyId: name,
    secretAccessKey: 'secret',
    ...(policy && { policy: parsePolicy(policy) }),
  })

function accessOf(bucket: Bucket): BucketAccess {
  const { name, owner, policy, acl, ownership, ignorePublicAcls, restrictPublicBuckets } = bucket
  const publicAccessBlock = {
    ignorePublicAcls,
    restrictPublicBuckets,
    blockPublicAcls: false,
    blockPublicPolicy: false,
  }
  return {
    owner: { id: owner, name: owner },
    ...(policy && { policy: parseBucketPolicy(JSON.stringify(policy), name) }),
    ...(acl && { acl }),
    ...(ownership && { ownership }),
    publicAccessBlock,
  }
}

function authorisationRequest(
  world: World,
  request: Request,
  identities: ReadonlyMap<string, Identity>,
): AuthorisationRequest {
  const { who, signed, headers, query, secure, now, address, source } = request
  const store = storeOf(world)
  return {
    reads: { ...store, bucket: bucketWithSettings(store.buckets), isFresh: () => false },
    readsAt: () => Promise.resolve(store),
    people: peopleOf([...identities.values()]),
    requestContext: {
      identity: who && identities.get(who.id),
      signed,
      headers: headersOf(headers),
      query: queryOf({ ...query, uploadId: 'u' }),
      secure,
      region: 'eu',
      now: () => now,
      address,
      source,
    },
  }
}

/** As much of a store as judging looks at. */
function storeOf(world: World): RequestStore {
  const objects = {
    async annotations(bucket: string, key: string, { versionId }: { readonly versionId?: string } = {}) {
      const found = world.buckets[bucket]?.objects[versionId === undefined ? key : `${key}@${versionId}`]
      if (found === undefined) throw new StorageError(versionId === undefined ? 'NoSuchKey' : 'NoSuchVersion', 'None.')
      const tags = Object.entries(found.tags).map(([name, value]) => ({ key: name, value }))
      return { owner: { id: found.owner, name: found.owner }, acl: found.acl, ...(tags.length > 0 && { tags }) }
    },
  }
  const uploads = { head: async () => ({ initiator: { id: world.initiator, name: '' } }) }
  return { objects, uploads } as unknown as RequestStore
}

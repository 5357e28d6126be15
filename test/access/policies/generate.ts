/**
 * Random policies, lists, buckets, objects and requests from a seed. Many values are drawn near the other values, so
 * that rules meet.
 */

import { type Random, randomFrom } from '../../support/random.ts'
import { type Draw, drawPolicy } from './generate-policy.ts'
import { isOfBucket, operationNames } from './operations.ts'
import type { Acl, Bucket, Identity, Request, StoredObject, World } from './world.ts'

const names = ['alice', 'bob', 'carol'] as const
const idOf = (name: string): string => `id-${name}`
const bucketNames = ['bucket', 'other'] as const
const keys = ['a/1', 'b', 'home/alice/x', 'none'] as const
const permissions = ['READ', 'WRITE', 'READ_ACP', 'WRITE_ACP', 'FULL_CONTROL'] as const

export interface Trial {
  readonly world: World
  readonly request: Request
}

/** This many requests in a row are drawn for one world: to read its policies costs more than to judge. */
const requestsPerWorld = 20

let lastWorld: { readonly seed: number; readonly world: World } | undefined

export function trialOf(seed: number): Trial {
  const world = worldOf(Math.floor(seed / requestsPerWorld))
  const request = drawRequest({ random: randomFrom(seed), ids: names.map(idOf), names }, world)
  return { world, request }
}

function worldOf(seed: number): World {
  if (lastWorld?.seed !== seed) {
    // Far from the seeds of requests.
    const random = randomFrom(Math.imul(seed + 1, 0x9e3779b1))
    lastWorld = { seed, world: drawWorld({ random, ids: names.map(idOf), names }) }
  }
  return lastWorld.world
}

function drawWorld(draw: Draw): World {
  const { random } = draw
  const people = names.map(
    (name): Identity => ({
      id: idOf(name),
      name,
      root: false,
      ...(random.chance(0.4) && { policy: drawPolicy(draw, undefined) }),
    }),
  )
  const root: Identity = { id: 'id-root', name: 'root', root: true }
  const buckets = Object.fromEntries(bucketNames.map((name) => [name, drawBucket(draw, name)]))
  return { people: [...people, root], buckets, initiator: idOf(random.pick(names)) }
}

function drawBucket(draw: Draw, name: string): Bucket {
  const { random } = draw
  const owner = idOf(random.pick(names))
  const policy = random.chance(0.6) ? drawPolicy(draw, name) : undefined
  const acl = random.chance(0.5) ? drawAcl(random, owner) : undefined
  const ownership = random.pick([
    'BucketOwnerEnforced',
    'BucketOwnerPreferred',
    'ObjectWriter',
    undefined,
    undefined,
  ] as const)
  // If a bucket admits no one else, only its owner writes to it. The server relies on that.
  const isShared = policy !== undefined || (acl !== undefined && ownership !== 'BucketOwnerEnforced')
  const object = (): StoredObject => {
    const own = isShared && random.chance(0.4) ? random.pick([...names.map(idOf), 'id-root', 'anonymous']) : owner
    const tags: Readonly<Record<string, string>> = random.chance(0.5) ? { stage: random.pick(['test', 'prod']) } : {}
    return { owner: own, tags, ...(random.chance(0.4) && { acl: drawAcl(random, own) }) }
  }
  const stored = keys.slice(0, 3).flatMap((key) => [[key, object()] as const, [`${key}@v1`, object()] as const])
  return {
    name,
    owner,
    ...(policy && { policy }),
    ...(acl && { acl }),
    ...(ownership && { ownership }),
    ignorePublicAcls: random.chance(0.2),
    restrictPublicBuckets: random.chance(0.2),
    objects: Object.fromEntries(stored),
  }
}

function drawAcl(random: Random, owner: string): Acl {
  const grantee = () =>
    random.chance(0.5)
      ? { id: idOf(random.pick(names)) }
      : { group: random.pick(['AllUsers', 'AuthenticatedUsers', 'LogDelivery'] as const) }
  const grants = Array.from({ length: random.below(3) + 1 }, () => ({
    grantee: grantee(),
    permission: random.pick(permissions),
  }))
  return { owner, grants }
}

const noon = Date.UTC(2026, 5, 15, 12)
const until = '2026-06-25T12:00:00Z'

function drawRequest({ random }: Draw, world: World): Request {
  const operation = random.pick(operationNames)
  const who = random.chance(0.2)
    ? undefined
    : random.chance(0.03)
      ? world.people.at(-1)
      : random.pick(world.people.slice(0, 3))
  const version = () => (random.chance(0.3) ? { versionId: random.pick(['v1', 'v1', 'v2']) } : {})
  const isCopy = operation.includes('Copy')
  return {
    operation,
    who,
    bucket: random.pick(bucketNames),
    key: random.pick(keys),
    ...(!isOfBucket(operation) && takesVersion.test(operation) && version()),
    ...(isCopy && { source: { bucket: random.pick(bucketNames), key: random.pick(keys), ...version() } }),
    headers: drawHeaders(random),
    query: random.chance(0.4) ? drawQuery(random) : {},
    body: drawBody(random, operation),
    signed: who === undefined ? undefined : random.pick(['REST-HEADER', 'REST-HEADER', 'REST-QUERY-STRING'] as const),
    secure: random.chance(0.5),
    address: random.pick(['203.0.113.7', '10.1.2.3', '9.1.2.3', '2001:db8::7']),
    now: noon,
  }
}

const takesVersion = /^(?:Get|Head|Delete)Object|^PutObject(?:Acl|Tagging|Retention|LegalHold)$/

/** Without regard to what the operation has use for. */
const headers: readonly (readonly [name: string, values: readonly string[]])[] = [
  ['x-amz-acl', ['private', 'public-read', 'bucket-owner-full-control']],
  ['x-amz-grant-read', ['id=id-bob']],
  ['x-amz-tagging', ['stage=test', 'stage=prod&team=red', '']],
  ['x-amz-object-lock-legal-hold', ['ON', 'OFF']],
  ['x-amz-storage-class', ['STANDARD', 'GLACIER']],
  ['x-amz-object-ownership', ['ObjectWriter', 'BucketOwnerEnforced']],
  ['x-amz-bucket-object-lock-enabled', ['true', 'false']],
  ['if-match', ['"e"', '*']],
  ['if-none-match', ['*']],
  ['referer', ['https://example.com/', 'https://example.org/']],
  ['user-agent', ['reader/1.0']],
]

function drawHeaders(random: Random): Readonly<Record<string, string>> {
  const drawn = headers.filter(() => random.chance(0.12)).map(([name, values]) => [name, random.pick(values)] as const)
  if (random.chance(0.12))
    drawn.push(['x-amz-object-lock-mode', 'GOVERNANCE'], ['x-amz-object-lock-retain-until-date', until])
  return Object.fromEntries(drawn)
}

function drawQuery(random: Random): Readonly<Record<string, string>> {
  const all = {
    prefix: random.pick(['home/', 'a/', 'home/alice/']),
    delimiter: '/',
    'max-keys': random.pick(['1', '10', '100']),
  }
  return Object.fromEntries(Object.entries(all).filter(() => random.chance(0.6)))
}

function drawBody(random: Random, operation: string): Readonly<Record<string, readonly string[]>> {
  switch (operation) {
    case 'PutObjectTagging': {
      const value = random.pick(['test', 'prod', undefined])
      if (value === undefined) return { 's3:requestobjecttagkeys': [] }
      return { 's3:requestobjecttag/stage': [value], 's3:requestobjecttagkeys': ['stage'] }
    }
    case 'PutObjectRetention':
      return {
        's3:object-lock-mode': ['GOVERNANCE'],
        's3:object-lock-remaining-retention-days': [random.pick(['3', '30'])],
      }
    case 'PutObjectLegalHold':
      return { 's3:object-lock-legal-hold': [random.pick(['ON', 'OFF'])] }
    case 'CreateBucket':
      return { 's3:locationconstraint': random.chance(0.5) ? ['eu'] : [] }
    default:
      return {}
  }
}

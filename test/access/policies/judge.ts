/**
 * May this request? Written from what AWS documents of the evaluation of policies, of access control lists, of ownership of
 * objects and of blocks of public access, and from `docs/access.md` where this server decides by itself. It shares no code with
 * the server.
 */

import { conditionsHold, fill, like, listOf } from './conditions.ts'
import { type Context, contextOf } from './context.ts'
import { requested, type Requested } from './operations.ts'
import { isPublic } from './public.ts'
import type {
  Acl,
  Bucket,
  Identity,
  PolicyDocument,
  Permission,
  Request,
  StatementDocument,
  StoredObject,
  Verdict,
  World,
} from './world.ts'

/** What may be answered: where several permissions are missing, any of them may be found first. */
export function judge(world: World, request: Request): readonly Verdict[] {
  const refusals = requested(request)
    .map((one) => judgeOne(world, request, one))
    .filter((verdict) => verdict !== 'allowed')
  return refusals.length === 0 ? ['allowed'] : refusals
}

type Stated = 'allow' | 'deny' | 'nothing'

function judgeOne(world: World, request: Request, one: Requested): Verdict {
  const { who, operation } = request
  const context = contextOf(world, request, one)
  const bucket = operation === 'CreateBucket' ? made(request) : world.buckets[one.bucket ?? '']
  const ofBucket = stated(bucket?.policy, one, who, context)
  const own = stated(who?.policy, one, who, context)
  if (own === 'deny' || (ofBucket === 'deny' && !keepsPolicy(one, who, bucket))) return 'denied'
  if (own === 'allow' || mayAnywhere(one, who)) return 'allowed'
  return bucket === undefined ? 'denied' : byBucket({ world, request, one, bucket, isBound: isBound(who) }, ofBucket)
}

const isBound = (who: Identity | undefined): boolean => who?.policy !== undefined

/** Root everything; identities without a policy what needs no bucket. */
const mayAnywhere = ({ action }: Requested, who: Identity | undefined): boolean =>
  who !== undefined && (who.root || (!isBound(who) && /^(?:CreateBucket|ListAllMyBuckets)$/.test(action)))

function byBucket(lists: Lists, ofBucket: Stated): Verdict {
  if (isGiven(lists, ofBucket)) return reaches(lists)
  return lists.isBound ? 'denied' : listed(lists)
}

/** Otherwise a policy that denies everything could never be repaired. */
const keepsPolicy = ({ action }: Requested, who: Identity | undefined, bucket: Bucket | undefined): boolean =>
  /^(?:Get|Put|Delete)BucketPolicy$/.test(action) && who !== undefined && (who.root || who.id === bucket?.owner)

/** By owning the bucket, or by its policy, unless a block keeps a public one to the owner. */
function isGiven({ request: { who }, bucket, isBound }: Lists, ofBucket: Stated): boolean {
  const isOwner = who !== undefined && bucket.owner === who.id
  if (isOwner && !isBound) return true
  const isCutOff = bucket.restrictPublicBuckets && !isOwner && bucket.policy !== undefined && isPublic(bucket.policy)
  return ofBucket === 'allow' && !isCutOff
}

const made = ({ who, bucket }: Request): Bucket => ({
  name: bucket,
  owner: who?.id ?? 'anonymous',
  ignorePublicAcls: false,
  restrictPublicBuckets: false,
  objects: {},
})

function stated(
  policy: PolicyDocument | undefined,
  one: Requested,
  who: Identity | undefined,
  context: Context,
): Stated {
  if (policy === undefined) return 'nothing'
  const variables = policy.Version === '2012-10-17'
  const speaking = policy.Statement.filter((statement) => speaks(statement, one, who, { variables, context }))
  if (speaking.some(({ Effect }) => Effect === 'Deny')) return 'deny'
  return speaking.length > 0 ? 'allow' : 'nothing'
}

interface Around {
  readonly variables: boolean
  readonly context: Context
}

function speaks(statement: StatementDocument, one: Requested, who: Identity | undefined, around: Around): boolean {
  const { Action, NotAction, Principal, NotPrincipal } = statement
  const named = (actions: string | readonly string[]) =>
    listOf(actions).some((action) => like([action.toLowerCase()], `s3:${one.action}`.toLowerCase()))
  const isAction = Action === undefined ? !named(NotAction ?? []) : named(Action)
  const isPrincipal =
    NotPrincipal === undefined ? Principal === undefined || isOne(Principal, who) : !isOne(NotPrincipal, who)
  return (
    isAction &&
    isPrincipal &&
    isOn(statement, one, around) &&
    conditionsHold(statement, around.variables, around.context)
  )
}

function isOn(
  { Effect, Resource, NotResource }: StatementDocument,
  { bucket, key }: Requested,
  around: Around,
): boolean {
  const path = bucket === undefined ? '' : key === undefined ? bucket : `${bucket}/${key}`
  const named = (resources: string | readonly string[], unknown: boolean) =>
    listOf(resources).some((resource) => {
      const pattern = fill(resource.replace('arn:aws:s3:::', ''), around.variables, around.context)
      return pattern === undefined ? unknown : like(pattern, path)
    })
  // A variable without a value matches no resource: an Allow then grants nothing, and a Deny has no exception.
  return Resource === undefined ? !named(NotResource ?? [], Effect === 'Allow') : named(Resource, false)
}

type Principals = NonNullable<StatementDocument['Principal']>

function isOne(principal: Principals, who: Identity | undefined): boolean {
  if (principal === '*' || listOf(principal['AWS'] ?? []).includes('*')) return true
  if (who === undefined) return false
  const names = [
    who.id,
    `arn:aws:iam::${who.id}:root`,
    `arn:aws:iam::${who.id}:user/${who.name}`,
    `arn:aws:iam:::user/${who.name}`,
  ]
  const isNamed = listOf(principal['AWS'] ?? []).some((name) => names.includes(name))
  return isNamed || listOf(principal['CanonicalUser'] ?? []).includes(who.id)
}

interface Lists {
  readonly world: World
  readonly request: Request
  readonly one: Requested
  readonly bucket: Bucket
  readonly isBound: boolean
}

/** The words of lists, and the actions that S3 maps them to. */
const words: readonly (readonly [of: 'bucket' | 'object', word: Permission, actions: RegExp])[] = [
  ['bucket', 'READ', /^List(?:Bucket|BucketVersions|BucketMultipartUploads)$/],
  ['bucket', 'WRITE', /^(?:PutObject|DeleteObject)$/],
  ['bucket', 'READ_ACP', /^GetBucketAcl$/],
  ['bucket', 'WRITE_ACP', /^PutBucketAcl$/],
  ['object', 'READ', /^GetObject(?:Version)?$/],
  ['object', 'READ_ACP', /^GetObject(?:Version)?Acl$/],
  ['object', 'WRITE_ACP', /^PutObject(?:Version)?Acl$/],
]

function wordOf({ action, making }: Requested): readonly ['bucket' | 'object', Permission] | undefined {
  if (making === true) return ['bucket', 'WRITE']
  const found = words.find(([, , actions]) => actions.test(action))
  return found === undefined ? undefined : [found[0], found[1]]
}

/**
 * Permissions from a bucket's owner or policy do not cover objects of other owners in it, unless those owners grant
 * them.
 */
function reaches({ world, request, one, bucket, isBound }: Lists): Verdict {
  const [of, word] = wordOf(one) ?? []
  if (of !== 'object' || word === undefined || bucket.ownership === 'BucketOwnerEnforced') return 'allowed'
  const object = objectOf(bucket, one)
  if (object === undefined || object.owner === bucket.owner) return 'allowed'
  if (world.people.some(({ id, root }) => root && id === object.owner)) return 'allowed'
  const acl = object.acl ?? ownersAlone(object.owner)
  return !isBound && grants(acl, word, request.who, bucket) ? 'allowed' : 'denied'
}

/** The list of what one makes, and the upload that one began. */
const isOnesOwn = ({ initiator }: World, { action, making }: Requested, { id }: Identity): boolean =>
  (making === true && action === 'PutObjectAcl') ||
  (/^(?:AbortMultipartUpload|ListMultipartUploadParts)$/.test(action) && initiator === id)

/**
 * Permissions that no policy decides: on the ACL of an object that the request creates, on one's own upload, and from
 * ACLs.
 */
function listed({ world, request, one, bucket }: Lists): Verdict {
  const { who } = request
  if (who !== undefined && isOnesOwn(world, one, who)) return 'allowed'
  const [of, word] = wordOf(one) ?? []
  if (word === undefined || bucket.ownership === 'BucketOwnerEnforced') return 'denied'
  if (of === 'bucket') return granted(bucket, word, who, bucket)
  const object = objectOf(bucket, one)
  if (object !== undefined) return granted(object, word, who, bucket)
  const listing = { action: 'ListBucket', bucket: bucket.name, prefix: one.key ?? '' }
  return judgeOne(world, request, listing) === 'allowed' ? 'absent' : 'denied'
}

type Listed = Pick<StoredObject, 'owner' | 'acl'>

const granted = ({ owner, acl }: Listed, word: Permission, who: Identity | undefined, bucket: Bucket): Verdict =>
  grants(acl ?? ownersAlone(owner), word, who, bucket) ? 'allowed' : 'denied'

const objectOf = ({ objects }: Bucket, { key = '', versionId }: Requested) =>
  objects[versionId === undefined ? key : `${key}@${versionId}`]

const ownersAlone = (owner: string): Acl => ({
  owner,
  grants: [{ grantee: { id: owner }, permission: 'FULL_CONTROL' }],
})

function grants({ owner, grants: all }: Acl, word: Permission, who: Identity | undefined, bucket: Bucket): boolean {
  if (who === undefined && bucket.ignorePublicAcls) return false
  const id = who?.id ?? 'anonymous'
  if (id === owner && word.endsWith('_ACP')) return true
  return all.some(({ grantee, permission }) => {
    if (permission !== word && permission !== 'FULL_CONTROL') return false
    if ('id' in grantee) return grantee.id === id
    if (bucket.ignorePublicAcls) return false
    return grantee.group === 'AllUsers' || (grantee.group === 'AuthenticatedUsers' && who !== undefined)
  })
}

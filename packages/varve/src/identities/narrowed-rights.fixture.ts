/** All that takes a right from somebody: the request that does it, and one that is refused from then on. */
import type { Agent } from 'node:http'
import {
  type Answer,
  call,
  callSts,
  type Caller,
  type Keys,
  keysIn,
  type Line,
  type Served,
} from './signed-calls.fixture.ts'

export interface Narrowed {
  /** Succeeds until the right is gone. */
  readonly act: (agent: Agent | false) => Promise<Answer>
  readonly narrow: () => Promise<Answer>
}

const policyOf = (statement: object): string => JSON.stringify({ Version: '2012-10-17', Statement: [statement] })
const everything = policyOf({ Effect: 'Allow', Action: '*', Resource: '*' })
const other = policyOf({ Effect: 'Allow', Action: 's3:GetObject', Resource: 'arn:aws:s3:::other/*' })
const denied = policyOf({ Effect: 'Deny', Action: 's3:*', Resource: '*' })
const nothing = policyOf({ Effect: 'Deny', Action: 's3:ListAllMyBuckets', Resource: '*' })
const trusting = (id: string): string => policyOf({ Effect: 'Allow', Principal: { AWS: id }, Action: 'sts:AssumeRole' })

/** Names of one case: its user, its role and its bucket. */
class Scene {
  readonly served: Served
  readonly user: string
  readonly role: string
  readonly bucket: string

  constructor(served: Served, number: number) {
    this.served = served
    this.user = `user-${number}`
    this.role = `role-${number}`
    this.bucket = `bucket-${number}`
  }

  async done(...line: Line): Promise<Answer> {
    const answer = await call(this.served, this.served.root, line)
    if (answer.status >= 300) throw new Error(`${line[0]}: ${answer.status} ${answer.text}`)
    return answer
  }

  readonly byRoot = (...line: Line) => ({ narrow: () => call(this.served, this.served.root, line) })

  readonly reads = (by: Caller) => ({
    act: (agent: Agent | false) => call(this.served, by, [`GET /${this.bucket}/key`], agent),
  })

  async makeBucket(): Promise<void> {
    await this.done(`PUT /${this.bucket}`)
    await this.done(`PUT /${this.bucket}/key`, 'body')
  }

  async makeUser(policy: string = everything): Promise<Keys> {
    await this.makeBucket()
    const { text } = await this.done(
      'POST /-/v1/identities',
      JSON.stringify({ name: this.user, id: this.user, policy }),
    )
    return (JSON.parse(text) as { readonly key: Keys }).key
  }

  /** A session of the role, which the user has assumed. */
  async assume(): Promise<{ readonly user: Keys; readonly session: Keys }> {
    const user = await this.makeUser()
    const [name, trust] = [this.role, trusting(this.user)]
    await this.done('POST /-/v1/identities', JSON.stringify({ name, id: name, trust, policy: everything }))
    return { user, session: keysIn(await this.assumeRole(user)) }
  }

  readonly assumeRole = (by: Keys, agent: Agent | false = false) =>
    callSts(
      this.served,
      by,
      { Action: 'AssumeRole', RoleArn: `arn:aws:iam:::role/${this.role}`, RoleSessionName: 'one' },
      agent,
    )

  async session(): Promise<{ readonly user: Keys; readonly session: Keys }> {
    const user = await this.makeUser()
    return { user, session: keysIn(await callSts(this.served, user, { Action: 'GetSessionToken' })) }
  }

  /** Buckets and objects may be public, by policies and by lists. */
  async makeOpenBucket(): Promise<void> {
    await this.makeBucket()
    await this.done(`DELETE /${this.bucket}?publicAccessBlock`)
    const rule = '<Rule><ObjectOwnership>ObjectWriter</ObjectOwnership></Rule>'
    await this.done(`PUT /${this.bucket}?ownershipControls`, `<OwnershipControls>${rule}</OwnershipControls>`)
  }

  async makePublicBy(policy: object): Promise<void> {
    await this.makeOpenBucket()
    await this.done(`PUT /${this.bucket}?policy`, this.bucketPolicy(policy))
  }

  readonly bucketPolicy = (more: object): string =>
    policyOf({ Action: 's3:GetObject', Resource: `arn:aws:s3:::${this.bucket}/*`, ...more })

  async makePublicByList(): Promise<void> {
    await this.makeOpenBucket()
    await this.done(`PUT /${this.bucket}/key?acl`, await this.listOf('READ'))
    await this.done(`PUT /${this.bucket}?acl`, await this.listOf('READ'))
  }

  /** An access control list of root, which owns everything. */
  async listOf(permission?: string): Promise<string> {
    const { text } = await this.done(`GET /${this.bucket}?acl`)
    const owner = /<Owner>.*<\/Owner>/.exec(text)?.[0] ?? ''
    const grant = permission === undefined ? '' : `<Grant>${all}<Permission>${permission}</Permission></Grant>`
    return `<AccessControlPolicy>${owner}<AccessControlList>${grant}</AccessControlList></AccessControlPolicy>`
  }

  readonly lists = () => ({
    act: (agent: Agent | false) => call(this.served, undefined, [`GET /${this.bucket}`], agent),
  })

  readonly policies = (name: string, policy: string | undefined, trust?: string): Line => [
    'PUT /-/v1/identity/policies',
    JSON.stringify({ name, policy, trust }),
  ]
}

const all =
  '<Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="Group"><URI>http://acs.amazonaws.com/groups/global/AllUsers</URI></Grantee>'
const blocked = (name: string): string =>
  `<PublicAccessBlockConfiguration><${name}>true</${name}></PublicAccessBlockConfiguration>`
const anyone = { Effect: 'Allow', Principal: '*' }

type Case = (scene: Scene) => Promise<Narrowed>

const cases: Readonly<Record<string, Case>> = {
  'a revoked key': async (at) => {
    const user = await at.makeUser()
    return {
      ...at.reads(user),
      ...at.byRoot(`DELETE /-/v1/identity/key?accessKeyId=${user.accessKeyId}&name=${at.user}`),
    }
  },
  'a removed identity': async (at) => ({
    ...at.reads(await at.makeUser()),
    ...at.byRoot(`DELETE /-/v1/identity?name=${at.user}`),
  }),
  'a narrower policy': async (at) => ({
    ...at.reads(await at.makeUser()),
    ...at.byRoot(...at.policies(at.user, other)),
  }),
  'a policy that denies': async (at) => ({
    ...at.reads(await at.makeUser()),
    ...at.byRoot(...at.policies(at.user, denied)),
  }),
  'no policy': async (at) => ({
    ...at.reads(await at.makeUser()),
    ...at.byRoot(...at.policies(at.user, undefined)),
  }),
  'a session of a revoked key': async (at) => {
    const { user, session } = await at.session()
    return {
      ...at.reads(session),
      ...at.byRoot(`DELETE /-/v1/identity/key?accessKeyId=${user.accessKeyId}&name=${at.user}`),
    }
  },
  'a session of a removed identity': async (at) => ({
    ...at.reads((await at.session()).session),
    ...at.byRoot(`DELETE /-/v1/identity?name=${at.user}`),
  }),
  'a session of a narrower policy': async (at) => ({
    ...at.reads((await at.session()).session),
    ...at.byRoot(...at.policies(at.user, other)),
  }),
  'a session of a removed role': async (at) => ({
    ...at.reads((await at.assume()).session),
    ...at.byRoot(`DELETE /-/v1/identity?name=${at.role}`),
  }),
  'a session of a role with a narrower policy': async (at) => ({
    ...at.reads((await at.assume()).session),
    ...at.byRoot(...at.policies(at.role, other)),
  }),
  'a session of a role whose user was removed': async (at) => ({
    ...at.reads((await at.assume()).session),
    ...at.byRoot(`DELETE /-/v1/identity?name=${at.user}`),
  }),
  'a role that trusts another': async (at) => {
    const { user } = await at.assume()
    const narrow = at.policies(at.role, everything, trusting('somebody'))
    return { act: (agent) => at.assumeRole(user, agent), ...at.byRoot(...narrow) }
  },
  'a bucket policy for another key': async (at) => {
    const user = await at.makeUser(nothing)
    await at.done(`PUT /${at.bucket}?policy`, at.bucketPolicy({ Effect: 'Allow', Principal: { AWS: at.user } }))
    const narrower = at.bucketPolicy({
      Effect: 'Allow',
      Principal: { AWS: at.user },
      Resource: `arn:aws:s3:::${at.bucket}/other`,
    })
    return { ...at.reads(user), ...at.byRoot(`PUT /${at.bucket}?policy`, narrower) }
  },
  'a bucket policy that denies': async (at) => ({
    ...at.reads(await at.makeUser()),
    ...at.byRoot(`PUT /${at.bucket}?policy`, at.bucketPolicy({ Effect: 'Deny', Principal: { AWS: at.user } })),
  }),
  'no bucket policy': async (at) => {
    await at.makePublicBy(anyone)
    return { ...at.reads(undefined), ...at.byRoot(`DELETE /${at.bucket}?policy`) }
  },
  'a public access block over a policy': async (at) => {
    await at.makePublicBy(anyone)
    return {
      ...at.reads(undefined),
      ...at.byRoot(`PUT /${at.bucket}?publicAccessBlock`, blocked('RestrictPublicBuckets')),
    }
  },
  'a public access block over a list': async (at) => {
    await at.makePublicByList()
    return { ...at.reads(undefined), ...at.byRoot(`PUT /${at.bucket}?publicAccessBlock`, blocked('IgnorePublicAcls')) }
  },
  'a narrower list of an object': async (at) => {
    await at.makePublicByList()
    return { ...at.reads(undefined), ...at.byRoot(`PUT /${at.bucket}/key?acl`, await at.listOf()) }
  },
  'a narrower list of a bucket': async (at) => {
    await at.makePublicByList()
    return { ...at.lists(), ...at.byRoot(`PUT /${at.bucket}?acl`, await at.listOf()) }
  },
  'an owner of every object': async (at) => {
    await at.makePublicByList()
    const rule = '<Rule><ObjectOwnership>BucketOwnerEnforced</ObjectOwnership></Rule>'
    await at.done(`PUT /${at.bucket}?acl`, await at.listOf())
    return {
      ...at.reads(undefined),
      ...at.byRoot(`PUT /${at.bucket}?ownershipControls`, `<OwnershipControls>${rule}</OwnershipControls>`),
    }
  },
}

export const narrowings: readonly string[] = Object.keys(cases)
/** Those that change identities, and not a bucket. */
export const ofIdentities: readonly string[] = narrowings.slice(
  0,
  narrowings.indexOf('a bucket policy for another key'),
)

/** Prepares a case. Each has names of its own. */
export const narrowed = (served: Served, name: string): Promise<Narrowed> =>
  (cases[name] as Case)(new Scene(served, narrowings.indexOf(name)))

/** A session whose identity or role is gone has no valid token. */
const isRefused = ({ status, text }: Answer): boolean => status === 403 || text.includes('<Code>InvalidToken</Code>')

/** What 20 requests at once give, on connections that are open and on new ones. */
export async function statusesOf(
  { act }: Pick<Narrowed, 'act'>,
  agent: Agent,
): Promise<readonly (number | 'refused')[]> {
  const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => act(i % 2 === 0 ? agent : false)))
  return [...new Set(answers.map((answer) => (isRefused(answer) ? 'refused' : answer.status)))]
}

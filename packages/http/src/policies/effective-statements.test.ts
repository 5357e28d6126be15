/** Statements that can never match are refused, and callers have the names that STS shows. */
import { describe, expect, it } from 'vitest'
import { createIdentity } from '../access/identity-schema.ts'
import type { Identity } from '../access/identity.ts'
import { decideAccess } from '../access/decide-access.ts'
import { sessionIdentity } from '../credentials/session-identity.ts'
import { isS3Error } from '../errors/errors.ts'
import { createRequestHeaders } from '../target/request-headers.ts'
import { parseQuery } from '../target/query-params.ts'
import { parseBucketPolicy } from './bucket-policy.ts'
import { namesOf } from './caller.ts'
import { requestKeys } from './condition-keys.ts'
import { checkStatements } from './effective-statements.ts'
import { parseTrustPolicy } from './trust-policy.ts'

type Fields = Readonly<Record<string, unknown>>
const base: Fields = { Effect: 'Deny', Principal: '*', Action: 's3:GetObject', Resource: 'arn:aws:s3:::b/*' }
const document = (statement: Fields) => JSON.stringify({ Version: '2012-10-17', Statement: statement })

function refusal(fields: Fields): string {
  const text = document(fields)
  try {
    checkStatements(parseBucketPolicy(text, 'b'), 'b')
  } catch (error) {
    if (isS3Error(error, 'MalformedPolicy')) return error.message
    throw error
  }
  return 'accepted'
}

const arn = 'arn:aws:s3:::'
const noResource = 'Policy has invalid resource'
const noAction = 'Action does not apply to any resource(s) in statement'

describe('a statement of a bucket policy', () => {
  it.each<[string, unknown, unknown, string]>([
    ['all resources', 's3:*', '*', noResource],
    ['all resources among others', 's3:*', [`${arn}b/*`, '*'], noResource],
    ['an object action on the bucket', 's3:GetObject', `${arn}b`, noAction],
    ['a write on the bucket', 's3:PutObject', `${arn}b`, noAction],
    ['a bucket action on objects', 's3:ListBucket', `${arn}b/*`, noAction],
    ['a bucket action on one object', 's3:PutBucketPolicy', `${arn}b/k`, noAction],
    ['a family of bucket actions on objects', 's3:*Bucket', `${arn}b/*`, noAction],
    ['a family of object actions on the bucket', 's3:GetObject*', `${arn}b`, noAction],
    ['an object action among bucket actions', ['s3:ListBucket', 's3:GetObject'], `${arn}b`, noAction],
    ['a bucket action among object actions', ['s3:ListBucket', 's3:GetObject'], [`${arn}b/*`], noAction],
    ['an action of the account', 's3:ListAllMyBuckets', `${arn}b`, noAction],
    ['an action of access points', 's3:GetAccessPoint', [`${arn}b`, `${arn}b/*`], noAction],
    ['an action of the whole store', 'varve:Erase', [`${arn}b`, `${arn}b/*`], noAction],
    ['looking back on objects', 'varve:ReadHistory', `${arn}b/*`, noAction],
    ['an empty key', 's3:GetObject', `${arn}b/`, noAction],
    ['objects by a pattern without a slash', 's3:GetObject', `${arn}?`, noAction],
    ['both', ['s3:ListBucket', 's3:GetObject'], [`${arn}b`, `${arn}b/*`], 'accepted'],
    ['all actions on the bucket', 's3:*', `${arn}b`, 'accepted'],
    ['all actions on objects', '*', `${arn}b/*`, 'accepted'],
    ['both by one pattern', ['s3:ListBucket', 's3:GetObject'], `${arn}b*`, 'accepted'],
    ['buckets and objects by ARNs of stars', 's3:ListBucket', [`${arn}*`, `${arn}*/*`], 'accepted'],
    ['all buckets and objects by one ARN', 's3:*', `${arn}*`, 'accepted'],
    ['one object', 's3:DeleteObject', `${arn}b/k`, 'accepted'],
    ['objects of a variable', 's3:GetObject', `${arn}b/\${aws:username}`, 'accepted'],
    ['a key that is a star', 's3:GetObject', `${arn}b/\${*}`, 'accepted'],
    ['the uploads of a bucket', 's3:ListBucketMultipartUploads', `${arn}b`, 'accepted'],
    ['the parts of an upload', 's3:ListMultipartUploadParts', `${arn}b/*`, 'accepted'],
    ['looking back on the bucket', 'varve:ReadHistory', `${arn}b`, 'accepted'],
  ])('about %s', (_, Action, Resource, expected) => {
    for (const Effect of ['Allow', 'Deny']) expect(refusal({ ...base, Effect, Action, Resource })).toBe(expected)
  })

  it.each<[string, Fields, string]>([
    ['everything', { NotResource: [`${arn}b`, `${arn}b/*`] }, noAction],
    ['everything by one pattern', { NotResource: `${arn}b*` }, noAction],
    ['all objects', { NotResource: `${arn}b/*` }, noAction],
    ['some objects', { NotResource: `${arn}b/a*` }, 'accepted'],
    ['the bucket', { NotResource: `${arn}b` }, 'accepted'],
    ['what depends on the caller', { NotResource: `${arn}b/\${aws:username}*` }, 'accepted'],
    ['all resources', { NotResource: '*' }, noResource],
    ['all buckets and objects by one ARN', { NotResource: `${arn}*` }, noAction],
  ])('that excepts %s', (_, fields, expected) => {
    const { Resource: _resource, ...rest } = base
    expect(refusal({ ...rest, ...fields })).toBe(expected)
  })

  it('that excepts all actions is refused', () => {
    const { Action: _action, ...rest } = base
    expect([refusal({ ...rest, NotAction: '*' }), refusal({ ...rest, NotAction: 's3:Get*' })]).toEqual([
      noAction,
      'accepted',
    ])
  })

  it.each<[string, unknown, boolean]>([
    ['federated users alone', { Federated: 'cognito-identity.amazonaws.com' }, false],
    ['a federated user by its ARN', { AWS: 'arn:aws:sts::A1:federated-user/ann' }, false],
    ['what STS does not have', { AWS: 'arn:aws:sts::A1:session/ann' }, false],
    ['a role without a session', { AWS: 'arn:aws:sts::A1:assumed-role/reader' }, false],
    ['what STS does not have, among others', { AWS: ['arn:aws:sts::A1:role/reader', 'A1'] }, false],
    ['a role without a session, among others', { AWS: ['arn:aws:sts::A1:assumed-role/reader', 'A1'] }, false],
    ['a role without a name, among others', { AWS: ['arn:aws:iam::A1:role/', 'A1'] }, false],
    ['a federated user by its ARN, among others', { AWS: ['arn:aws:sts::A1:federated-user/ann', 'A1'] }, true],
    ['a group', { AWS: 'arn:aws:iam::A1:group/readers' }, false],
    ['a federated user and a user', { Federated: 'x', AWS: 'A1' }, true],
    ['a service', { Service: 'logging.s3.amazonaws.com' }, true],
    ['a service with a hyphen', { Service: 'delivery-logs.amazonaws.com' }, true],
    ['every service', { Service: '*' }, false],
    ['a pattern of services', { Service: '*.amazonaws.com' }, false],
    ['a service by a word', { Service: 's3' }, false],
    ['a service and a word', { Service: ['logging.s3.amazonaws.com', 's3'] }, false],
    ['a service in another case', { Service: 'Logging.S3.amazonaws.com' }, false],
  ])('about %s', (_, Principal, isAccepted) => {
    expect(refusal({ ...base, Principal })).toBe(isAccepted ? 'accepted' : 'Invalid principal in policy')
  })

  it.each<[string, unknown, boolean]>([
    ['everyone', '*', false],
    ['everyone by a kind', { AWS: '*' }, false],
    ['everyone among others', { AWS: ['A1', '*'] }, false],
    ['one user', { AWS: 'A1' }, true],
    ['federated users alone', { Federated: 'x' }, true],
  ])('about all but %s', (_, NotPrincipal, isAccepted) => {
    const { Principal: _principal, ...rest } = base
    expect(refusal({ ...rest, NotPrincipal })).toBe(isAccepted ? 'accepted' : 'Invalid principal in policy')
  })

  it.each<[string, Fields, boolean]>([
    ['the presence of a prefix of a read', { Null: { 's3:prefix': 'false' } }, false],
    ['the presence of an ACL of a read, in another case', { Null: { 's3:x-amz-acl': 'False' } }, false],
    ['the absence of a prefix of a read', { Null: { 's3:prefix': 'true' } }, true],
    ['the presence and the absence of a prefix', { Null: { 's3:prefix': ['true', 'false'] } }, true],
    ['the presence of a type of caller', { Null: { 'aws:PrincipalType': 'false' } }, true],
    ['a type of caller that there is not', { StringEquals: { 'aws:PrincipalType': 'FederatedUser' } }, false],
    ['a misspelt type', { StringEquals: { 'aws:PrincipalType': ['assumedrole', 'Role'] } }, false],
    ['one type that there is', { StringEquals: { 'aws:PrincipalType': ['Role', 'AssumedRole'] } }, true],
    ['types by a pattern', { StringLike: { 'aws:PrincipalType': 'Assumed*' } }, true],
    ['all types but one', { StringNotEquals: { 'aws:PrincipalType': 'Role' } }, true],
    ['a kind of signature', { StringEquals: { 's3:authType': 'COOKIE' } }, false],
    ['a version of signatures', { StringEquals: { 's3:signatureversion': 'AWS5' } }, false],
    ['the prefix of a read', { StringEquals: { 's3:prefix': 'a/' } }, false],
    ['a prefix, if there is one', { StringEqualsIfExists: { 's3:prefix': 'a/' } }, true],
    ['another prefix of a read', { StringNotEquals: { 's3:prefix': 'a/' } }, true],
    ['an ARN without an id', { ArnEquals: { 'aws:PrincipalArn': 'arn:aws:iam:::role/deployer' } }, false],
    ['a name in place of an ARN', { StringEquals: { 'aws:PrincipalArn': 'deployer' } }, false],
    ['a session in place of its role', { ArnLike: { 'aws:PrincipalArn': 'arn:aws:iam::R1:assumed-role/*' } }, false],
    ['a group of callers', { StringLike: { 'aws:PrincipalArn': 'arn:aws:iam::A1:group/*' } }, false],
    ['a star that is one character', { StringEquals: { 'aws:PrincipalArn': 'arn:aws:iam::*' } }, false],
    ['roles by a pattern', { ArnLike: { 'aws:PrincipalArn': 'arn:aws:*::*:*role/*' } }, true],
    ['the ARN of a role', { StringEquals: { 'aws:PrincipalArn': 'arn:aws:iam::R1:role/a' } }, true],
    ['an ARN in another case', { StringEqualsIgnoreCase: { 'aws:PrincipalArn': 'ARN:aws:iam::r1:ROLE/A' } }, true],
    ['an ARN with a variable', { StringLike: { 'aws:PrincipalArn': 'arn:aws:iam::${aws:userid}:user/*' } }, true],
    ['an ARN as a number', { NumericEquals: { 'aws:PrincipalArn': '7' } }, false],
    ['an account by its ARN', { StringEquals: { 'aws:PrincipalAccount': 'arn:aws:iam::A1:root' } }, false],
    ['an account by its id', { StringEquals: { 'aws:PrincipalAccount': 'A1' } }, true],
    ['a user id with a slash', { StringEquals: { 'aws:userid': 'R1/build' } }, false],
    ['a second factor', { Bool: { 'aws:MultiFactorAuthPresent': 'true' } }, false],
    ['no second factor', { BoolIfExists: { 'aws:MultiFactorAuthPresent': 'false' } }, true],
    ['a request of a service for another', { Bool: { 'aws:ViaAWSService': true } }, false],
    ['a truth in another case', { StringEquals: { 'aws:SecureTransport': 'True' } }, false],
    ['a range of addresses as text', { StringEquals: { 'aws:SourceIp': '10.0.0.0/8' } }, false],
    ['a range of addresses', { IpAddress: { 'aws:SourceIp': '10.0.0.0/8' } }, true],
    ['a time as a number', { NumericLessThan: { 'aws:TokenIssueTime': '1' } }, false],
    ['a time', { DateLessThan: { 'aws:TokenIssueTime': '2026-01-01' } }, true],
    ['the absence of what every request has', { Null: { 'aws:SecureTransport': 'true' } }, false],
    ['the absence of what only some requests have', { Null: { 'aws:TokenIssueTime': 'true' } }, true],
    ['one key twice', { StringEquals: { 'aws:username': 'a', 'AWS:UserName': 'b' } }, false],
    [
      'one key for two operators',
      { StringLike: { 'aws:username': 'a*' }, StringNotLike: { 'aws:username': 'ab' } },
      true,
    ],
    [
      'one key with and without IfExists',
      { Null: { 'aws:Referer': 'true' }, StringLikeIfExists: { 'aws:Referer': 'a' } },
      true,
    ],
    ['presence and absence', { Null: { 'aws:Referer': 'true' }, StringLike: { 'aws:referer': 'http://a/*' } }, false],
    [
      'presence and absence of a tag',
      { Null: { 's3:ExistingObjectTag/A': true }, StringEquals: { 's3:ExistingObjectTag/A': 'a' } },
      false,
    ],
    [
      'presence of one tag and absence of another',
      { Null: { 's3:ExistingObjectTag/A': true }, StringEquals: { 's3:ExistingObjectTag/a': 'a' } },
      true,
    ],
    ['a key that requests never have', { StringEquals: { 'aws:SourceVpce': 'vpce-1' } }, true],
  ])('with a condition on %s', (_, Condition, isAccepted) => {
    expect(refusal({ ...base, Condition }) === 'accepted').toBe(isAccepted)
  })
})

describe('a variable of a bucket policy', () => {
  it.each<[string, Fields]>([
    ['a resource', { Resource: `${arn}b/\${aws:nonsense}` }],
    ['one of several resources', { Resource: [`${arn}b/a`, `${arn}b/\${s3:nothing}/*`] }],
    ['a resource, with a default', { Resource: `${arn}b/\${aws:nonsense, 'x'}` }],
    ['a condition', { Condition: { StringEquals: { 'aws:username': '${aws:nickname}' } } }],
    ['a negated condition', { Condition: { StringNotLike: { 'aws:username': ['a', '${aws:nickname}*'] } } }],
  ])('that is no condition key is refused in %s', (_, fields) => {
    expect(refusal({ ...base, ...fields })).toMatch(/^Policy has an invalid variable: /)
  })

  it.each(['aws:username', 'AWS:UserName', 'aws:PrincipalTag/team', 's3:prefix', 'aws:SourceVpce'])(
    'may be %s',
    (key) => {
      expect(refusal({ ...base, Resource: `${arn}b/\${${key}}/*` })).toBe('accepted')
    },
  )
})

const keys = { accessKeyId: 'KEY', secretAccessKey: 'secret-secret' }
const owner = createIdentity({ ...keys, name: 'owner', id: 'owner' })
const alice = createIdentity({ ...keys, name: 'alice', id: 'A1' })
const boss = createIdentity({ ...keys, name: 'boss', id: 'B1', root: true })
const trust = parseTrustPolicy({ Statement: { Effect: 'Allow', Principal: { AWS: 'A1' }, Action: 'sts:AssumeRole' } })
const role = { id: 'R1', name: 'alice', trust }
const common = { ...keys, expiresAt: 1, issuedAt: Date.parse('2026-03-01'), parentKeyId: 'KEY', parentId: 'A1' }
const assumed = sessionIdentity({ ...common, role: { id: 'R1', sessionName: 'build-7' } }, 't', { parent: alice, role })
const session = sessionIdentity(common, 't', { parent: alice, role: undefined })

const { issuedAt: _issuedAt, ...older } = common
const dateless = sessionIdentity({ ...older, role: { id: 'R1', sessionName: 'old' } }, 't', { parent: alice, role })

type Callers = Readonly<Record<string, Identity | undefined>>
const everyone: Callers = { alice, session, assumed, boss, anonymous: undefined }

/** Those whom a statement denies what the policy allows everyone. */
function denied(fields: Fields, callers: Callers = everyone): readonly string[] {
  const isDenied = (identity: Identity | undefined): boolean => {
    const text = JSON.stringify({
      Version: '2012-10-17',
      Statement: [
        { ...base, Effect: 'Allow' },
        { ...base, ...fields },
      ],
    })
    const policy = parseBucketPolicy(text, 'b')
    checkStatements(policy, 'b')
    const resource = { bucket: 'b', key: 'k' }
    const permission = { action: 's3:GetObject', ...resource } as const
    const context = {
      identity,
      signed: undefined,
      headers: createRequestHeaders([]),
      query: parseQuery(''),
      secure: true,
      region: 'eu',
      address: undefined,
      now: () => 0,
    }
    const keys = requestKeys(context, { bucketOwner: owner.id, permission })
    const bucket = { owner: { id: owner.id, name: owner.name }, policy }
    return decideAccess({ identity, action: 's3:GetObject', resource, bucket, keys }) === 'denied'
  }
  return Object.keys(callers).filter((name) => isDenied(callers[name]))
}

const when = (operator: string, key: string, value: unknown) => ({ Condition: { [operator]: { [key]: value } } })

describe('a caller', () => {
  it.each<[string, Fields, readonly string[]]>([
    ['its role', { Principal: { AWS: 'arn:aws:iam::R1:role/alice' } }, ['assumed']],
    ['its role below a path', { Principal: { AWS: 'arn:aws:iam::R1:role/ci/alice' } }, ['assumed']],
    ['its role of any account', { Principal: { AWS: 'arn:aws:iam:::role/alice' } }, ['assumed']],
    ['a role of another account', { Principal: { AWS: 'arn:aws:iam::A1:role/alice' } }, []],
    ['its session', { Principal: { AWS: 'arn:aws:sts::R1:assumed-role/alice/build-7' } }, ['assumed']],
    ['another session', { Principal: { AWS: 'arn:aws:sts::R1:assumed-role/alice/build-8' } }, []],
    ['the id of its role', { Principal: { AWS: 'R1' } }, ['assumed']],
    ['a user with the name of the role', { Principal: { AWS: 'arn:aws:iam:::user/alice' } }, ['alice', 'session']],
    ['a user', { Principal: { AWS: 'arn:aws:iam::A1:user/alice' } }, ['alice', 'session']],
    ['the ARN of its role', when('ArnEquals', 'aws:PrincipalArn', 'arn:aws:iam::R1:role/alice'), ['assumed']],
    ['the ARN of roles', when('ArnLike', 'aws:PrincipalArn', 'arn:aws:iam::*:role/*'), ['assumed']],
    ['the ARN of its session', when('StringEquals', 'aws:PrincipalArn', namesOf(assumed).arn), ['assumed']],
    ['the ARN of sessions', when('StringLike', 'aws:PrincipalArn', 'arn:aws:sts::*'), ['assumed']],
    [
      'all but its role',
      when('ArnNotEquals', 'aws:PrincipalArn', 'arn:aws:iam::R1:role/alice'),
      ['alice', 'session', 'boss', 'anonymous'],
    ],
    [
      'its role among all of its names',
      when('ForAllValues:ArnEquals', 'aws:PrincipalArn', 'arn:aws:iam::R1:role/alice'),
      ['assumed', 'anonymous'],
    ],
    [
      'any of its names but that of its role',
      when('ForAnyValue:StringNotEquals', 'aws:PrincipalArn', 'arn:aws:iam::R1:role/alice'),
      ['alice', 'session', 'boss'],
    ],
    [
      'all but its session',
      when('StringNotEqualsIfExists', 'aws:PrincipalArn', namesOf(assumed).arn),
      ['alice', 'session', 'boss', 'anonymous'],
    ],
    ['the ARN of root', when('StringEquals', 'aws:PrincipalArn', namesOf(boss).arn), ['boss']],
    ['its type', when('StringEquals', 'aws:PrincipalType', 'AssumedRole'), ['assumed']],
    ['users', when('StringEquals', 'aws:PrincipalType', 'User'), ['alice', 'session']],
    ['accounts', when('StringEquals', 'aws:PrincipalType', 'Account'), ['boss']],
    ['its session by id', when('StringEquals', 'aws:userid', 'R1:build-7'), ['assumed']],
    ['sessions by id', when('StringLike', 'aws:userid', '*:build-7'), ['assumed']],
    ['users by id', when('StringEquals', 'aws:userid', 'A1'), ['alice', 'session']],
    ['users by name', when('StringEquals', 'aws:username', 'alice'), ['alice', 'session']],
    ['older sessions', when('DateLessThan', 'aws:TokenIssueTime', '2026-03-02T00:00:00Z'), ['session', 'assumed']],
    ['sessions that are older still', when('DateLessThan', 'aws:TokenIssueTime', '2026-02-28T00:00:00Z'), []],
    ['younger sessions', when('DateGreaterThan', 'aws:TokenIssueTime', '2026-02-28T00:00:00Z'), ['session', 'assumed']],
    ['temporary credentials', when('Null', 'aws:TokenIssueTime', 'false'), ['session', 'assumed']],
    ['no second factor', when('Bool', 'aws:MultiFactorAuthPresent', 'false'), ['session', 'assumed']],
    ['callers without a user name', when('Null', 'aws:username', 'true'), ['assumed', 'boss', 'anonymous']],
  ])('is named by %s', (_, fields, expected) => {
    expect(denied(fields)).toEqual(expected)
  })

  it('with a token of an older release has the oldest session', () => {
    const older = when('DateLessThan', 'aws:TokenIssueTime', '2020-01-01T00:00:00Z')
    expect(denied(older, { alice, assumed, dateless })).toEqual(['dateless'])
  })

  it.each(['team/alice', '/a', 'a:b', 'a b', 'ü/$', "it's"])('has the names that STS shows, as %s', (name) => {
    const user = createIdentity({ ...keys, name, id: 'A1' })
    const odd = { ...role, name }
    const one = sessionIdentity({ ...common, role: { id: 'R1', sessionName: 's' } }, 't', { parent: user, role: odd })
    const other = createIdentity({ ...keys, name: 'alice', id: 'A2' })
    const callers = { user, one, other }
    const roleArn = namesOf(one).arns[0] ?? ''
    for (const arn of [namesOf(user).arn, namesOf(one).arn, roleArn]) {
      const expected = arn === namesOf(user).arn ? ['user'] : ['one']
      expect(denied({ Principal: { AWS: arn } }, callers), arn).toEqual(expected)
      expect(denied(when('ArnEquals', 'aws:PrincipalArn', arn), callers), arn).toEqual(expected)
    }
  })

  it('has the names in policies that STS shows', () => {
    for (const identity of [alice, session, assumed, boss]) {
      const names = namesOf(identity)
      expect(denied({ Principal: { AWS: names.arn } })).toContain(
        Object.keys(everyone).find((one) => everyone[one] === identity),
      )
      expect(names.arns).toContain(names.arn)
    }
  })
})

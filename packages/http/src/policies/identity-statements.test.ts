/** Statements of the policies of identities and sessions that can never match are refused, as those of buckets are. */
import { isStorageError } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { parseIdentities } from '../access/identities.ts'
import { policyActions } from './actions.ts'
import { parseIdentityPolicy } from './effective-statements.ts'
import { evaluatePolicy, type PolicyQuestion } from './evaluate.ts'
import { levelOf } from './known-actions.ts'
import { parsePolicy } from './policy.ts'

type Fields = Readonly<Record<string, unknown>>
const base: Fields = { Effect: 'Deny', Action: 's3:GetObject', Resource: 'arn:aws:s3:::b/*' }
const documentOf = (...statements: readonly Fields[]) => ({ Version: '2012-10-17', Statement: statements })

function refusal(document: Fields): string {
  try {
    parseIdentityPolicy(document)
  } catch (error) {
    if (isStorageError(error, 'InvalidArgument')) return error.message
    throw error
  }
  return 'accepted'
}

const arn = 'arn:aws:s3:::'
const actions: readonly (readonly string[])[] = [['s3:ListBucket', 's3:GetObject']].concat(
  `* s3:* varve:* s3:GetObject s3:ListBucket s3:ListAllMyBuckets s3:CreateBucket s3:*Bucket s3:GetObject* varve:ReadLog
    varve:ReadHistory varve:ForkBucket varve:CreateIdentity`
    .split(/\s+/)
    .map((action) => [action]),
)
const resources: readonly (readonly string[])[] = [['*'], [`${arn}b`, `${arn}b/*`]].concat(
  '* ** b b* b/* b/k b/ /k ?/k */* b?k ${aws:username} ${aws:username}/* b/${*}'
    .split(' ')
    .map((resource) => [`${arn}${resource}`]),
)

/** What requests are about, by the level of their action. */
function questionsOf(action: (typeof policyActions)[number]): readonly PolicyQuestion['resource'][] {
  const level = levelOf(action.toLowerCase())
  const store = action.startsWith('varve:') ? (['store'] as const) : []
  if (level === 'none') return [...store, {}]
  const buckets = ['b', 'box', 'bxk', 'c']
  if (level === 'bucket') return [...store, ...buckets.map((bucket) => ({ bucket }))]
  return [...store, ...buckets.flatMap((bucket) => ['k', '*', 'x'].map((key) => ({ bucket, key })))]
}

/** A variable can have any text. */
const callers = ['b', 'b/k'].map(
  (name): PolicyQuestion['keys'] =>
    (key) =>
      key === 'aws:username' ? [name] : undefined,
)

describe('the policy of an identity', () => {
  it('is refused if no action of a statement applies to any of its resources, and only then', () => {
    const wrong: unknown[] = []
    for (const Effect of ['Allow', 'Deny'])
      for (const Action of actions)
        for (const [name, Resource] of resources.flatMap(
          (one) =>
            [
              ['Resource', one],
              ['NotResource', one],
            ] as const,
        )) {
          const document = documentOf({ Effect, Action, [name]: Resource })
          const policy = parsePolicy(document)
          const matches = policyActions.some((action) =>
            questionsOf(action).some((resource) =>
              callers.some((keys) => evaluatePolicy(policy, { action, resource, keys }) !== 'implicit-deny'),
            ),
          )
          if ((refusal(document) === 'accepted') !== matches) wrong.push({ Effect, Action, [name]: Resource, matches })
        }
    expect(wrong).toEqual([])
  })

  it.each<[string, Fields]>([
    ['an action that there is not', { Action: 's3:GetObjects' }],
    ['an action of Varve that there is not', { Action: 'varve:ReadLogs', Resource: '*' }],
    ['such an action among others', { Action: ['s3:GetObject', 's3:Foo'] }],
    ['a pattern of no action', { Action: 's3:Fetch*' }],
    ['a variable that is no condition key', { Resource: `${arn}b/\${aws:user}/*` }],
    ['such a variable in a condition', { Condition: { StringLike: { 'aws:username': '${aws:foo}' } } }],
    ['a type of caller that there is not', { Condition: { StringEquals: { 'aws:PrincipalType': 'user' } } }],
    ['a caller without an id', { Condition: { ArnLike: { 'aws:PrincipalArn': 'arn:aws:iam:::role/x' } } }],
    ['a second factor', { Condition: { Bool: { 'aws:MultiFactorAuthPresent': 'true' } } }],
    ['the prefix of a read', { Condition: { StringEquals: { 's3:prefix': 'a/' } } }],
    ['the absence of what is always there', { Condition: { Null: { 'aws:SecureTransport': 'true' } } }],
    ['an address as a number', { Condition: { NumericEquals: { 'aws:SourceIp': '1' } } }],
  ])('is refused with %s, wherever it is set', (_, fields) => {
    const document = documentOf({ ...base, Resource: '*' }, { ...base, ...fields })
    expect(refusal(document)).toMatch(/^policy\.Statement\[1\] can never match: /)
    const identity = { name: 'a', accessKeyId: 'AKIDA', secretAccessKey: 'a-secret-of-a', policy: document }
    expect(() => parseIdentities({ identities: [identity] })).toThrow(/policy\.Statement\[1\] can never match/)
  })

  it.each<[string, Fields]>([
    ['an action that this server does not have', { Action: 's3:RestoreObject' }],
    ['an action of accounts', { Action: 's3:GetAccessPoint', Resource: '*' }],
    [
      'an action that applies to none of its resources beside one that does',
      { Action: ['s3:ListBucket', 's3:GetObject'] },
    ],
    ['all resources', { Resource: '*' }],
    ['a denial for the whole store by one bucket', { Action: 'varve:ReadLog', Resource: `${arn}b` }],
    ['a condition key of IAM that no request has', { Condition: { StringEquals: { 'aws:PrincipalOrgID': 'o-1' } } }],
    ['a role', { Condition: { StringEquals: { 'aws:PrincipalType': 'AssumedRole' } } }],
  ])('is accepted with %s', (_, fields) => {
    expect(refusal(documentOf({ ...base, ...fields }))).toBe('accepted')
  })
})

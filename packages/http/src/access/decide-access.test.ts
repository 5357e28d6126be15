import { describe, expect, it } from 'vitest'
import { type S3Action, s3Actions } from '../policies/actions.ts'
import { parseBucketPolicy } from '../policies/bucket-policy.ts'
import { type BucketAccess, decideAccess } from './decide-access.ts'
import type { Identity } from './identity.ts'
import { createIdentity } from './identity-schema.ts'
import { parsePolicy } from '../policies/policy.ts'

const keys = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secretsecret' }
const withPolicy = (name: string, Effect: 'Allow' | 'Deny', Action: string) =>
  createIdentity({ ...keys, name, policy: parsePolicy({ Statement: { Effect, Action, Resource: '*' } }) })

const root = createIdentity({ ...keys, name: 'root', root: true })
const owner = createIdentity({ ...keys, name: 'owner' })
const other = createIdentity({ ...keys, name: 'other' })
const reader = withPolicy('reader', 'Allow', 's3:Get*')
const banned = withPolicy('banned', 'Deny', 's3:*')

const object = { bucket: 'b', key: 'k' }
const bucketPolicy = (Effect: string, Action: string, Principal: unknown = '*') =>
  parseBucketPolicy(
    JSON.stringify({ Statement: { Effect, Action, Principal, Resource: ['arn:aws:s3:::b', 'arn:aws:s3:::b/*'] } }),
    'b',
  )

const owned = ({ id, name }: Identity): BucketAccess => ({ owner: { id, name } })
const plain = owned(owner)
const open: BucketAccess = { ...plain, policy: bucketPolicy('Allow', 's3:GetObject') }
const shut: BucketAccess = { ...plain, policy: bucketPolicy('Deny', 's3:*') }
const blocks = {
  blockPublicAcls: false,
  ignorePublicAcls: false,
  blockPublicPolicy: false,
  restrictPublicBuckets: true,
}

const decide = (
  identity: Identity | undefined,
  action: S3Action,
  bucket: BucketAccess | undefined,
  resource = object,
) => decideAccess({ identity, action, resource, bucket })

describe('permissions', () => {
  it.each(s3Actions)('anonymous requests are not allowed by default, root always is: %s', (action) => {
    for (const resource of [{}, { bucket: 'b' }, object]) {
      expect(decideAccess({ identity: root, action, resource, bucket: plain })).toBe('administrator')
      expect(decideAccess({ identity: undefined, action, resource, bucket: plain })).toBe('unsaid')
    }
  })

  it('without a policy one may create and list buckets', () => {
    expect(decide(other, 's3:CreateBucket', undefined)).toBe('administrator')
    expect(decideAccess({ identity: other, action: 's3:ListAllMyBuckets', resource: {} })).toBe('administrator')
  })

  it('without a policy one may do everything in one’s own buckets and nothing in others', () => {
    for (const action of s3Actions.filter((name) => name !== 's3:CreateBucket' && name !== 's3:ListAllMyBuckets')) {
      expect(decide(owner, action, plain)).toBe('owner')
      expect(decide(other, action, plain)).toBe('unsaid')
      expect(decide(other, action, undefined)).toBe('unsaid')
    }
  })

  it('with a policy ownership gives nothing', () => {
    expect(decide(reader, 's3:GetObject', plain)).toBe('administrator')
    expect(decide(reader, 's3:PutObject', owned(reader))).toBe('unsaid')
    expect(decide(reader, 's3:CreateBucket', undefined)).toBe('unsaid')
  })

  it('a bucket’s policy lets others in, with credentials or without, as far as it goes', () => {
    for (const identity of [other, undefined]) {
      expect(decide(identity, 's3:GetObject', open)).toBe('guest')
      expect(decide(identity, 's3:PutObject', open)).toBe('unsaid')
    }
    expect(decide(reader, 's3:PutObject', { ...plain, policy: bucketPolicy('Allow', 's3:PutObject') })).toBe('guest')
  })

  it('what one policy denies no other allows', () => {
    expect(decide(banned, 's3:GetObject', open)).toBe('denied')
    expect(decide(reader, 's3:GetObject', shut)).toBe('denied')
    expect(decide(owner, 's3:GetObject', shut)).toBe('denied')
    expect(decide(root, 's3:GetObject', shut)).toBe('denied')
    expect(decide(undefined, 's3:GetObject', shut)).toBe('denied')
  })

  it('only the owner and root can still change a policy that denies everything', () => {
    for (const action of ['s3:PutBucketPolicy', 's3:GetBucketPolicy', 's3:DeleteBucketPolicy'] as const) {
      expect(decide(owner, action, shut)).toBe('owner')
      expect(decide(root, action, shut)).toBe('administrator')
      expect(decide(other, action, shut)).toBe('denied')
    }
    expect(decide(owner, 's3:GetBucketPublicAccessBlock', shut)).toBe('denied')
  })

  it('restricted buckets keep what a public policy allows to themselves', () => {
    const restricted = { ...open, publicAccessBlock: blocks }
    expect(decide(undefined, 's3:GetObject', restricted)).toBe('unsaid')
    expect(decide(other, 's3:GetObject', restricted)).toBe('unsaid')
    expect(decide(owner, 's3:GetObject', restricted)).toBe('owner')
    expect(decide(reader, 's3:GetObject', restricted)).toBe('administrator')
    const named = { ...plain, policy: bucketPolicy('Allow', 's3:GetObject', { AWS: other.id }) }
    expect(decide(other, 's3:GetObject', { ...named, publicAccessBlock: blocks })).toBe('guest')
  })
})

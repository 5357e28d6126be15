import { describe, expect, it, vi } from 'vitest'
import { turn } from '../turns/turn.ts'
import { parseQuery } from '../target/query-params.ts'
import { createRequestHeaders } from '../target/request-headers.ts'
import { conditionKey } from './condition-key.ts'
import type { S3Action } from './actions.ts'
import { type RequestContext, type PermissionContext, isConditionKey, requestKeys } from './condition-keys.ts'

const requestContext: RequestContext = {
  identity: { id: 'A1', name: 'alice' },
  signed: 'REST-HEADER',
  headers: createRequestHeaders([
    'Referer',
    'http://a.example/',
    'X-Amz-Acl',
    'public-read',
    'x-svc-storage-class',
    'STANDARD',
    'x-amz-tagging',
    'security=public&a+b=c%20d',
    'x-amz-date',
    '20260101T000000Z',
    'x-amz-object-lock-retain-until-date',
    '2026-01-11T00:00:00Z',
  ]),
  query: parseQuery('prefix=home%2F&max-keys=10&delimiter='),
  secure: true,
  region: 'eu',
  address: '203.0.113.7',
  now: () => Date.UTC(2026, 0, 1, 0, 0, 2),
  source: { bucket: 'from', key: 'a/b' },
}
const permission = { action: 's3:PutObject' } as const
const of: PermissionContext = { bucketOwner: 'B2', tags: [{ key: 'Stage', value: 'prod' }], permission }
const value = (key: string, from = requestContext, thing = of) => requestKeys(from, thing)(conditionKey(key))
const valueFor = (key: string, more: PermissionContext['permission']) =>
  value(key, requestContext, { ...of, permission: more })

describe('keys of conditions', () => {
  it.each([
    ['aws:CurrentTime', '2026-01-01T00:00:02.000Z'],
    ['aws:EpochTime', '1767225602'],
    ['aws:PrincipalArn', 'arn:aws:iam::A1:user/alice'],
    ['aws:PrincipalAccount', 'A1'],
    ['aws:PrincipalType', 'User'],
    ['aws:Referer', 'http://a.example/'],
    ['aws:RequestedRegion', 'eu'],
    ['aws:ResourceAccount', 'B2'],
    ['aws:SecureTransport', 'true'],
    ['aws:SourceIp', '203.0.113.7'],
    ['aws:userid', 'A1'],
    ['AWS:USERNAME', 'alice'],
    ['s3:authType', 'REST-HEADER'],
    ['s3:signatureAge', '2000'],
    ['s3:signatureversion', 'AWS4-HMAC-SHA256'],
    ['s3:x-amz-acl', 'public-read'],
    ['s3:x-amz-storage-class', 'STANDARD'],
    ['s3:x-amz-copy-source', 'from/a/b'],
    ['s3:object-lock-remaining-retention-days', '10'],
    ['s3:RequestObjectTag/security', 'public'],
    ['s3:RequestObjectTag/a b', 'c d'],
    ['s3:ExistingObjectTag/Stage', 'prod'],
  ])('%s is %s', (key, expected) => {
    expect(value(key)).toEqual([expected])
    expect(isConditionKey(conditionKey(key))).toBe(true)
  })

  it.each([
    ['REST-HEADER', ['x-amz-date', '20260101T000000Z', 'date', 'Wed, 31 Dec 2025 23:00:00 GMT'], '', '2000'],
    ['REST-HEADER', ['x-svc-date', '20260101T000000Z'], '', '2000'],
    ['REST-HEADER', ['date', 'Thu, 01 Jan 2026 00:00:00 GMT'], '', '2000'],
    ['REST-QUERY-STRING', ['date', 'Thu, 01 Jan 2026 00:00:01 GMT'], 'X-Amz-Date=20260101T000000Z', '2000'],
    ['REST-QUERY-STRING', [], 'X-Svc-Date=20260101T000000Z', '2000'],
    ['POST', ['x-amz-date', '20260101T000000Z'], '', '2000'],
    [undefined, ['date', 'Thu, 01 Jan 2026 00:00:00 GMT'], '', undefined],
  ] as const)('give the age of the signature, wherever its date is: %s, %j, %j', (signed, raw, query, age) => {
    const from = { ...requestContext, signed, headers: createRequestHeaders([...raw]), query: parseQuery(query) }
    expect(value('s3:signatureAge', from)).toEqual(age === undefined ? undefined : [age])
  })

  it('of an ownership that a header names are those of a new bucket, not of one whose body names another', () => {
    const from = { ...requestContext, headers: createRequestHeaders(['x-amz-object-ownership', 'BucketOwnerEnforced']) }
    const read = (action: S3Action) => value('s3:x-amz-object-ownership', from, { ...of, permission: { action } })
    expect(read('s3:CreateBucket')).toEqual(['BucketOwnerEnforced'])
    expect(read('s3:PutBucketOwnershipControls')).toBeUndefined()
  })

  it('lists the keys of tags that are to be set', () => {
    expect(value('s3:RequestObjectTagKeys')).toEqual(['security', 'a b'])
  })

  it.each([
    's3:VersionId',
    's3:if-match',
    's3:x-amz-grant-read',
    's3:ExistingObjectTag/stage',
    's3:RequestObjectTag/Security',
    'aws:PrincipalOrgID',
    'aws:SourceArn',
    'aws:SourceVpce',
    'aws:PrincipalTag/team',
  ])('%s is known, and not there', (key) => {
    expect(value(key)).toBeUndefined()
    expect(isConditionKey(conditionKey(key))).toBe(true)
  })

  it('come from the permission, not from the URL: those of a listing only to one that lists', () => {
    const values = { 's3:prefix': ['home/'], 's3:delimiter': ['/'], 's3:max-keys': ['10'] }
    for (const key of ['s3:prefix', 's3:delimiter', 's3:max-keys']) {
      expect(value(key)).toBeUndefined()
      expect(valueFor(key, { action: 's3:ListBucket' })).toBeUndefined()
      expect(valueFor(key, { action: 's3:ListBucketVersions', values })).toEqual(values[key as keyof typeof values])
      expect(valueFor(key, { action: 's3:GetObject', values })).toBeUndefined()
    }
    expect(valueFor('s3:prefix', { action: 's3:ListBucket', prefix: 'a/b' })).toEqual(['a/b'])
  })

  it('give the requested version, where the action is on one', () => {
    expect(valueFor('s3:VersionId', { action: 's3:GetObjectVersion', versionId: '7' })).toEqual(['7'])
    expect(valueFor('s3:VersionId', { action: 's3:GetObject' })).toBeUndefined()
  })

  it.each<S3Action>(['s3:GetObject', 's3:GetObjectVersion', 's3:ListBucket', 's3:DeleteObject'])(
    'of a write have no value for %s beside it',
    (action) => {
      for (const key of [
        's3:x-amz-acl',
        's3:x-amz-storage-class',
        's3:x-amz-copy-source',
        's3:RequestObjectTag/security',
      ]) {
        expect(valueFor(key, { action })).toBeUndefined()
      }
    },
  )

  it('of a body stand in place of those of headers, and what a body does not have is not there', () => {
    const values = { 's3:requestobjecttag/a': ['1'], 's3:requestobjecttagkeys': ['a'], 's3:if-match': [] }
    const tagging = { action: 's3:PutObjectTagging', values } as const
    expect(valueFor('s3:RequestObjectTag/a', tagging)).toEqual(['1'])
    expect(valueFor('s3:RequestObjectTag/security', tagging)).toBeUndefined()
    expect(valueFor('s3:RequestObjectTagKeys', tagging)).toEqual(['a'])
    expect(valueFor('s3:if-match', { action: 's3:DeleteObject', values })).toBeUndefined()
  })

  it('give the anonymous user for an anonymous request', () => {
    const anonymousRequest = {
      ...requestContext,
      identity: undefined,
      signed: undefined,
      headers: createRequestHeaders([]),
    }
    expect(value('aws:PrincipalType', anonymousRequest)).toEqual(['Anonymous'])
    expect(value('aws:userid', anonymousRequest)).toEqual(['anonymous'])
    for (const key of ['aws:username', 'aws:PrincipalArn', 's3:authType', 's3:signatureversion', 's3:signatureAge']) {
      expect(value(key, anonymousRequest)).toBeUndefined()
    }
  })

  it('of tags in a header are read once, however many conditions use them', () => {
    const headers = createRequestHeaders(['x-amz-tagging', 'a=b&'.repeat(4000)])
    const spend = vi.spyOn(turn, 'spend')
    for (let at = 0; at < 300; at++) {
      expect(value(`s3:RequestObjectTag/${at}`, { ...requestContext, headers })).toBeUndefined()
    }
    expect(spend.mock.calls).toEqual([[16_000]])
    spend.mockRestore()
  })

  it.each(['s3:x-amz-acls', 's3', 'prefix', 's3:ExistingObjectTag', 'ec2:Region', 'constructor', '__proto__/x'])(
    '%s is none',
    (key) => expect(isConditionKey(conditionKey(key))).toBe(false),
  )
})

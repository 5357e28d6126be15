import { describe, expect, it } from 'vitest'
import { isS3Error } from '../errors/errors.ts'
import { parseBucketPolicy, policyText } from './bucket-policy.ts'
import { evaluatePolicy } from './evaluate.ts'
import { isPublicPolicy } from './policy-status.ts'

const allow = { Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: 'arn:aws:s3:::b/*' }
const document = (...statements: unknown[]) => JSON.stringify({ Version: '2012-10-17', Statement: statements })
const without = (name: string) => Object.fromEntries(Object.entries(allow).filter(([field]) => field !== name))

function refusal(text: string): string {
  try {
    parseBucketPolicy(text, 'b')
  } catch (error) {
    if (isS3Error(error, 'MalformedPolicy')) return error.message
    throw error
  }
  return 'accepted'
}

describe('the policy of a bucket', () => {
  it.each([
    ['nothing', '', "Policies must be valid JSON and the first byte must be '{'"],
    ['text', 'invalid json', "Policies must be valid JSON and the first byte must be '{'"],
    ['a space first', ` ${document(allow)}`, "Policies must be valid JSON and the first byte must be '{'"],
    ['half a document', document(allow).slice(0, -1), "Policies must be valid JSON and the first byte must be '{'"],
    [
      'too many levels',
      `{"Statement":${'['.repeat(100)}${']'.repeat(100)}}`,
      "Policies must be valid JSON and the first byte must be '{'",
    ],
    ['an empty object', '{}', 'Missing required field Statement'],
    ['no statements', '{"Statement":[]}', 'Policy.Statement must not be empty.'],
    ['a statement that is none', '{"Statement":["Allow"]}', 'Invalid policy syntax.'],
    ['no effect', document(without('Effect')), 'Missing required field Effect'],
    ['no principal', document(without('Principal')), 'Missing required field Principal'],
    ['no action', document(without('Action')), 'Missing required field Action'],
    ['no resource', document(without('Resource')), 'Missing required field Resource'],
    ['another version', '{"Version":"2020","Statement":{}}', 'Missing required field Effect'],
    [
      'another version, whole',
      JSON.stringify({ Version: '2020', Statement: allow }),
      'The policy must contain a valid version string',
    ],
    ['a principal by pattern', document({ ...allow, Principal: { AWS: 'a*' } }), 'Invalid principal in policy'],
    ['a principal as bare text', document({ ...allow, Principal: 'alice' }), 'Invalid principal in policy'],
    ['a principal of no kind', document({ ...allow, Principal: { GCP: 'a' } }), 'Invalid principal in policy'],
    ['nobody', document({ ...allow, Principal: {} }), 'Invalid principal in policy'],
    ['an action of others', document({ ...allow, Action: 'sqs:SendMessage' }), 'Policy has invalid action'],
    [
      'another bucket',
      document({ ...allow, Resource: ['arn:aws:s3:::b/*', 'arn:aws:s3:::c/*'] }),
      'Policy has invalid resource',
    ],
    ['a longer bucket', document({ ...allow, Resource: 'arn:aws:s3:::bb/*' }), 'Policy has invalid resource'],
    ['a bare name', document({ ...allow, Resource: 'b/*' }), 'Policy has invalid resource'],
  ])('is refused with %s', (_, text, message) => {
    expect(refusal(text)).toBe(message)
  })

  it('cannot allow something to all but some', () => {
    const NotPrincipal = { AWS: 'arn:aws:iam::1:root' }
    expect(refusal(document({ ...without('Principal'), NotPrincipal }))).toContain('cannot allow something to all but')
    expect(refusal(document({ ...without('Principal'), Effect: 'Deny', NotPrincipal }))).toBe('accepted')
    expect(refusal(document({ ...allow, NotPrincipal }))).toContain('must have one of Principal and NotPrincipal')
  })

  it('is refused when it is not UTF-8', () => {
    expect(() => policyText(Buffer.from([0x7b, 0xff]))).toThrow(expect.objectContaining({ code: 'MalformedPolicy' }))
    expect(policyText(Buffer.from('{"ä":1}'))).toBe('{"ä":1}')
  })

  it.each([
    'arn:aws:s3:::b',
    'arn:aws:s3:::b/*',
    'arn:aws:s3:::b/a/${aws:username}/*',
    'arn:aws:s3:::*',
    'arn:aws:s3:::*/*',
    'arn:aws:s3:::b*',
    'arn:aws:s3:::?/x',
    '*',
  ])('may name the resource %s', (Resource) => {
    expect(refusal(document({ ...allow, Resource }))).toBe('accepted')
  })

  const alice = { id: 'A1', name: 'alice' }
  const bob = { id: 'B2', name: 'bob' }

  it.each([
    ['everyone', '*', true, true, true],
    ['everyone, in the long form', { AWS: '*' }, true, true, true],
    ['an account', { AWS: 'A1' }, true, false, false],
    ['an account as ARN', { AWS: 'arn:aws:iam::A1:root' }, true, false, false],
    ['an unknown account', { AWS: 'arn:aws:iam::s3tenant1:root' }, false, false, false],
    ['a canonical id', { CanonicalUser: 'B2' }, false, true, false],
    ['a user', { AWS: 'arn:aws:iam::A1:user/alice' }, true, false, false],
    ['a user below a path', { AWS: 'arn:aws:iam::A1:user/staff/alice' }, true, false, false],
    ['a user of another account', { AWS: 'arn:aws:iam::B2:user/alice' }, false, false, false],
    ['a user wherever', { AWS: 'arn:aws:iam:::user/bob' }, false, true, false],
    ['several', { AWS: ['A1', 'B2'] }, true, true, false],
    ['several kinds', { AWS: 'A1', CanonicalUser: 'B2' }, true, true, false],
    ['a service', { Service: 'logging.s3.amazonaws.com' }, false, false, false],
    ['a role', { AWS: 'arn:aws:iam::A1:role/reader' }, false, false, false],
    ['a federated user', { Federated: 'cognito-identity.amazonaws.com' }, false, false, false],
  ])('is about %s', (_, Principal, ...expected) => {
    const policy = parseBucketPolicy(document({ ...allow, Principal }), 'b')
    const verdicts = [alice, bob, undefined].map((identity) =>
      evaluatePolicy(policy, { identity, action: 's3:GetObject', resource: { bucket: 'b', key: 'k' } }),
    )
    expect(verdicts.map((verdict) => verdict === 'allow')).toEqual(expected)
  })

  it('denies all but those it excepts', () => {
    const deny = { ...without('Principal'), Effect: 'Deny', NotPrincipal: { AWS: 'A1' } }
    const policy = parseBucketPolicy(document(allow, deny), 'b')
    const verdicts = [alice, bob, undefined].map((identity) =>
      evaluatePolicy(policy, { identity, action: 's3:GetObject', resource: { bucket: 'b', key: 'k' } }),
    )
    expect(verdicts).toEqual(['allow', 'deny', 'deny'])
  })

  it('names what is the requester’s own by variables', () => {
    const own = parseBucketPolicy(document({ ...allow, Resource: 'arn:aws:s3:::b/${aws:username}/*' }), 'b')
    const ask = (key: string, keys: Record<string, string>) =>
      evaluatePolicy(own, {
        action: 's3:GetObject',
        resource: { bucket: 'b', key },
        keys: (name) => (keys[name] === undefined ? undefined : [keys[name]]),
      })
    expect(ask('alice/x', { 'aws:username': 'alice' })).toBe('allow')
    expect(ask('bob/x', { 'aws:username': 'alice' })).toBe('implicit-deny')
    expect(ask('bob/x', { 'aws:username': '*' })).toBe('implicit-deny')
    expect(ask('alice/x', {})).toBe('implicit-deny')
  })

  it('makes no exception for a variable without a value', () => {
    const NotResource = 'arn:aws:s3:::b/${aws:username}/*'
    const base = { Principal: '*', Action: 's3:GetObject', NotResource }
    const verdict = (Effect: string) =>
      evaluatePolicy(parseBucketPolicy(document({ ...base, Effect }), 'b'), {
        action: 's3:GetObject',
        resource: { bucket: 'b', key: 'alice/x' },
      })
    expect([verdict('Allow'), verdict('Deny')]).toEqual(['implicit-deny', 'deny'])
  })
})

/** The whole of IPv4. */
const pieces = Array.from({ length: 256 }, (_, first) => `${first}.0.0.0/8`)
const when = (Condition: unknown) => ({ ...allow, Condition })

describe('a public policy', () => {
  it.each([
    ['allows everyone', [allow], true],
    ['allows everyone, in the long form', [{ ...allow, Principal: { AWS: ['A1', '*'] } }], true],
    ['has one such statement among others', [{ ...allow, Principal: { AWS: 'A1' } }, allow], true],
    ['does not name accounts', [{ ...allow, Principal: { AWS: 'arn:aws:iam::s3tenant1:root' } }], false],
    ['does not only deny', [{ ...allow, Effect: 'Deny' }], false],
    ['is not cut down to an address', [when({ IpAddress: { 'aws:SourceIp': '203.0.113.5' } })], false],
    ['is not cut down to a range', [when({ IpAddress: { 'aws:SourceIp': ['10.0.0.0/32', '8.0.0.0/8'] } })], false],
    ['is cut down to half of the world', [when({ IpAddress: { 'aws:SourceIp': '0.0.0.0/1' } })], true],
    ['is cut down to a range and to all', [when({ IpAddress: { 'aws:SourceIp': ['1.2.3.4', '0.0.0.0/0'] } })], true],
    ['is cut down to a seventh of IPv6', [when({ IpAddress: { 'aws:SourceIp': '2001::/16' } })], true],
    ['is not cut down to a network of IPv6', [when({ IpAddress: { 'aws:SourceIp': '2001:db8::/32' } })], false],
    ['is open but for some addresses', [when({ NotIpAddress: { 'aws:SourceIp': '203.0.113.5' } })], true],
    ['is not for one source', [when({ ArnLike: { 'aws:SourceArn': 'arn:aws:s3:::logs' } })], false],
    ['is for sources by pattern', [when({ ArnLike: { 'aws:SourceArn': 'arn:aws:s3:::*' } })], true],
    ['is not for one account', [when({ StringEquals: { 'aws:SourceAccount': '1' } })], false],
    ['is for one account, if there is one', [when({ StringEqualsIfExists: { 'aws:SourceAccount': '1' } })], true],
    ['is for all but one account', [when({ StringNotEquals: { 'aws:SourceAccount': '1' } })], true],
    ['is for a variable', [when({ StringEquals: { 'aws:SourceAccount': '${aws:userid}' } })], true],
    ['is cut down to what any client can send', [when({ StringLike: { 'aws:Referer': 'http://a.example/' } })], true],
    ['is for one account by its id', [when({ StringEquals: { 'aws:userid': 'A1' } })], false],
    ['is for the anonymous id', [when({ StringEquals: { 'aws:userid': 'anonymous' } })], true],
    ['is for it in another case', [when({ StringEqualsIgnoreCase: { 'aws:userid': ['A1', 'Anonymous'] } })], true],
    ['is for ids by pattern', [when({ StringLike: { 'aws:userid': 'anon*' } })], true],
    ['is for names, which S3 does not list', [when({ StringEquals: { 'aws:username': 'alice' } })], true],
    ['is for all values of a set', [when({ 'ForAllValues:StringEquals': { 'aws:userid': 'A1' } })], true],
    ['is for any value of a set', [when({ 'ForAnyValue:StringEquals': { 'aws:userid': 'A1' } })], false],
    ['is for those that have an id', [when({ Null: { 'aws:PrincipalArn': 'false' } })], true],
    ['is for addresses, if there is one', [when({ IpAddressIfExists: { 'aws:SourceIp': '203.0.113.5' } })], true],
    ['is for two halves', [when({ IpAddress: { 'aws:SourceIp': ['0.0.0.0/1', '128.0.0.0/1'] } })], true],
    ['is for all of it in 256 pieces', [when({ IpAddress: { 'aws:SourceIp': pieces } })], true],
    [
      'is for half of it in 128 pieces',
      [when({ IpAddress: { 'aws:SourceIp': pieces.filter((_, i) => i % 2) } })],
      true,
    ],
    [
      'is for 256 pieces in a statement each',
      pieces.map((piece) => when({ IpAddress: { 'aws:SourceIp': piece } })),
      true,
    ],
    [
      'is for one piece that is listed twice',
      [when({ IpAddress: { 'aws:SourceIp': ['8.0.0.0/8', '8.1.0.0/16'] } })],
      false,
    ],
    [
      'is for pieces of another statement that names somebody',
      [
        when({ IpAddress: { 'aws:SourceIp': '8.0.0.0/8' } }),
        when({ IpAddress: { 'aws:SourceIp': '9.0.0.0/8' }, StringEquals: { 'aws:SourceVpce': 'vpce-1' } }),
      ],
      false,
    ],
    ['is for private networks', [when({ IpAddress: { 'aws:SourceIp': ['10.0.0.0/8', '172.16.0.0/12'] } })], false],
    ['is for more than a private network', [when({ IpAddress: { 'aws:SourceIp': '10.0.0.0/7' } })], true],
    ['is for all of IPv6', [when({ IpAddress: { 'aws:SourceIp': ['8.8.8.8', '::/0'] } })], true],
    ['is for IPv6 in pieces', [when({ IpAddress: { 'aws:SourceIp': ['2001:db8::/32', '2001:db9::/33'] } })], true],
    [
      'is for a wide and a narrow range at once',
      [when({ IpAddress: { 'aws:SourceIp': '0.0.0.0/0' }, 'ForAnyValue:IpAddress': { 'aws:SourceIp': '8.8.8.8' } })],
      false,
    ],
    [
      'is for a key that clients name',
      [when({ StringEquals: { 's3:x-amz-server-side-encryption-aws-kms-key-id': 'k' } })],
      true,
    ],
    ['is cut down to one that narrows', [when({ Bool: { 'aws:SecureTransport': 'true' } })], true],
  ])('%s', (_, statements, isPublic) => {
    expect(isPublicPolicy(parseBucketPolicy(document(...statements), 'b'))).toBe(isPublic)
  })
})

import { isStorageError } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { parsePolicy } from './policy.ts'

const allow = { Effect: 'Allow', Action: 's3:GetObject', Resource: '*' }
const withStatement = (fields: Record<string, unknown>) => ({
  Version: '2012-10-17',
  Statement: { ...allow, ...fields },
})
const without = (field: string) => ({
  Statement: Object.fromEntries(Object.entries(allow).filter(([name]) => name !== field)),
})

function refusal(act: () => unknown): { code: string; message: string } {
  try {
    act()
  } catch (error) {
    if (isStorageError(error)) return { code: error.code, message: error.message }
    throw error
  }
  return { code: 'accepted', message: '' }
}

describe('policy documents', () => {
  it('takes lists and single values, with the same result', () => {
    const single = parsePolicy({ Version: '2012-10-17', Statement: allow })
    const lists = parsePolicy({
      Version: '2012-10-17',
      Statement: [{ ...allow, Action: ['s3:GetObject'], Resource: ['*'] }],
    })
    expect(single).toEqual(lists)
    expect(single).toEqual({
      version: '2012-10-17',
      statements: [
        {
          effect: 'Allow',
          actions: { except: false, patterns: ['s3:getobject'] },
          resources: { except: false, patterns: ['*'] },
          namesAll: true,
        },
      ],
    })
  })

  it('takes an empty Sid for none, as often as it comes', () => {
    const statement = { ...allow, Sid: '' }
    expect(parsePolicy({ Statement: [statement, statement] }).statements).toHaveLength(2)
  })

  it('keeps ids, exceptions and the part of a resource behind its prefix', () => {
    const { id, version, statements } = parsePolicy({
      Id: 'me',
      Statement: [
        {
          Sid: 'One',
          Effect: 'Deny',
          NotAction: ['S3:Get*', '*'],
          NotResource: ['arn:aws:s3:::b/*', 'arn:aws:s3:::b'],
        },
      ],
    })
    expect([id, version]).toEqual(['me', '2008-10-17'])
    expect(statements).toEqual([
      {
        sid: 'One',
        effect: 'Deny',
        actions: { except: true, patterns: ['s3:get*', '*'] },
        resources: { except: true, patterns: ['b/*', 'b'] },
      },
    ])
  })

  it.each([
    ['no object', [], 'policy must be an object'],
    ['null', null, 'policy must be an object'],
    ['text', '{}', 'policy must be an object'],
    ['an unknown field', { ...without(''), Statment: [] }, 'policy has an unknown field'],
    ['__proto__', JSON.parse('{"__proto__": 1, "Statement": []}'), 'policy has an unknown field'],
    ['another version', { Version: '2020-01-01', Statement: allow }, 'policy.Version must be'],
    ['a number as version', { Version: 2012, Statement: allow }, 'policy.Version must be'],
    ['no statement', { Version: '2012-10-17' }, 'policy.Statement must be an object'],
    ['no statements', { Statement: [] }, 'policy.Statement must not be empty'],
    [
      'too many statements',
      { Statement: Array.from({ length: 1001 }, () => allow) },
      'policy.Statement must not have more than 1000',
    ],
    ['an unknown field in a statement', withStatement({ Actions: 's3:*' }), 'policy.Statement has an unknown field'],
    ['no effect', without('Effect'), 'policy.Statement.Effect must be Allow or Deny'],
    ['an effect in another case', withStatement({ Effect: 'allow' }), 'policy.Statement.Effect must be Allow or Deny'],
    ['no action', without('Action'), 'policy.Statement must have one of Action and NotAction'],
    [
      'both kinds of action',
      withStatement({ NotAction: 's3:*' }),
      'policy.Statement must have one of Action and NotAction',
    ],
    ['no resource', without('Resource'), 'policy.Statement must have one of Resource and NotResource'],
    ['both kinds of resource', withStatement({ NotResource: '*' }), 'policy.Statement must have one of Resource'],
    ['an empty list of actions', withStatement({ Action: [] }), 'policy.Statement.Action must not be empty'],
    ['a number as action', withStatement({ Action: ['s3:*', 1] }), 'policy.Statement.Action[1] must be a string'],
    ['an object as action', withStatement({ Action: {} }), 'policy.Statement.Action must be an array'],
    ['an empty action', withStatement({ Action: '' }), 'policy.Statement.Action must hold 1 to 2048'],
    ['a bare action', withStatement({ Action: 'CreateBucket' }), 'policy.Statement.Action must be * or an action like'],
    [
      'another service',
      withStatement({ Action: 'iam:CreateUser' }),
      'policy.Statement.Action must be * or an action like',
    ],
    [
      'a wildcard for the service',
      withStatement({ Action: '*:*' }),
      'policy.Statement.Action must be * or an action like',
    ],
    [
      'an action with spaces',
      withStatement({ Action: 's3: GetObject' }),
      'policy.Statement.Action must be * or an action like',
    ],
    ['a bare bucket', withStatement({ Resource: 'bucket' }), 'policy.Statement.Resource must be * or begin with'],
    [
      'a resource without name',
      withStatement({ Resource: 'arn:aws:s3:::' }),
      'policy.Statement.Resource must be * or begin with',
    ],
    [
      'a resource too long',
      withStatement({ Resource: `arn:aws:s3:::${'a'.repeat(2036)}` }),
      'policy.Statement.Resource must hold 1',
    ],
    ['a principal', withStatement({ Principal: '*' }), 'policy.Statement cannot name a principal'],
    ['a NotPrincipal', withStatement({ NotPrincipal: { AWS: '*' } }), 'policy.Statement cannot name a principal'],
    ['a number as Sid', withStatement({ Sid: 1 }), 'policy.Statement.Sid must be a string'],
    [
      'a Sid twice',
      {
        Statement: [
          { ...allow, Sid: 'a' },
          { ...allow, Sid: 'a' },
        ],
      },
      'policy.Statement uses a Sid twice',
    ],
    ['a fault in the second', { Statement: [allow, { ...allow, Effect: 1 }] }, 'policy.Statement[1].Effect must be'],
  ])('refuses %s and reports where', (_, document, message) => {
    const refused = refusal(() => parsePolicy(document))
    expect(refused.code).toBe('InvalidArgument')
    expect(refused.message).toContain(message)
  })

  it.each([
    ['an operator that there is not', { StringEqual: { 'aws:username': 'a' } }, 'condition type that there is not'],
    ['an operator in another case', { stringEquals: { 'aws:username': 'a' } }, 'condition type that there is not'],
    ['a quantifier that there is not', { 'ForSome:StringEquals': { 'aws:username': 'a' } }, 'condition type'],
    ['NullIfExists', { NullIfExists: { 'aws:username': 'true' } }, 'condition type that there is not'],
    ['a key that there is not', { StringEquals: { 's3:prefixes': 'a' } }, 'condition key that there is not'],
    ['a family without a tag', { StringEquals: { 's3:ExistingObjectTag/': 'a' } }, 'condition key that there is not'],
    ['no values', { StringEquals: { 's3:prefix': [] } }, 'must have 1 to 1000 values'],
    ['null as a value', { StringEquals: { 's3:prefix': null } }, 'must be text, a number, or true or false'],
    ['an object as a value', { StringEquals: { 's3:prefix': {} } }, 'must be text, a number, or true or false'],
    ['a list of keys', { StringEquals: ['s3:prefix'] }, 'must be an object'],
    ['text as a number', { NumericEquals: { 's3:max-keys': 'ten' } }, 'that its operator cannot take'],
    ['text as a time', { DateLessThan: { 'aws:CurrentTime': 'tomorrow' } }, 'that its operator cannot take'],
    ['a name as an address', { IpAddress: { 'aws:SourceIp': 'localhost' } }, 'that its operator cannot take'],
    ['too wide a prefix', { IpAddress: { 'aws:SourceIp': '10.0.0.0/33' } }, 'that its operator cannot take'],
    ['yes as a truth', { Bool: { 'aws:SecureTransport': 'yes' } }, 'that its operator cannot take'],
    ['half an ARN', { ArnLike: { 'aws:PrincipalArn': 'arn:aws:iam' } }, 'that its operator cannot take'],
    ['a variable that is none', { StringLike: { 's3:prefix': '${username}/*' } }, 'policy variable that is none'],
    ['a variable not closed', { StringLike: { 's3:prefix': '${aws:username/*' } }, 'policy variable that is none'],
  ])('refuses conditions with %s', (_, Condition, message) => {
    const refused = refusal(() => parsePolicy(withStatement({ Condition })))
    expect(refused.code).toBe('InvalidArgument')
    expect(refused.message).toContain(message)
  })

  it('refuses a resource with a variable that is none', () => {
    const refused = refusal(() => parsePolicy(withStatement({ Resource: 'arn:aws:s3:::b/${who}/*' })))
    expect(refused.message).toContain('policy.Statement.Resource has a policy variable that is none')
  })

  it('keeps conditions as they are meant, and none where there are none', () => {
    const Condition = { 'ForAnyValue:StringLikeIfExists': { 'S3:PREFIX': 'a*' }, Bool: { 'aws:SecureTransport': true } }
    expect(parsePolicy(withStatement({ Condition })).statements[0]?.conditions).toEqual([
      { operator: 'StringLike', quantifier: 'ForAnyValue', ifExists: true, key: 's3:prefix', values: ['a*'] },
      { operator: 'Bool', ifExists: false, key: 'aws:securetransport', values: ['true'] },
    ])
    expect(parsePolicy(withStatement({ Condition: {} })).statements[0]).not.toHaveProperty('conditions')
  })

  it('takes a dollar and braces as they are where policies have no variables', () => {
    const document = { Version: '2008-10-17', Statement: { ...allow, Resource: 'arn:aws:s3:::b/${x}' } }
    expect(parsePolicy(document).statements[0]?.resources.patterns).toEqual(['b/${x}'])
  })
})

import { describe, expect, it } from 'vitest'
import type { PolicyAction } from './actions.ts'
import { type AccessResource, evaluatePolicy } from './evaluate.ts'
import { parsePolicy } from './policy.ts'

type Row = readonly [title: string, statements: unknown, action: PolicyAction, on: string | undefined, verdict: string]

const arn = (path: string) => `arn:aws:s3:::${path}`
const allow = (Action: unknown, ...paths: string[]) => ({ Effect: 'Allow', Action, Resource: paths.map(arn) })
const deny = (Action: unknown, ...paths: string[]) => ({ ...allow(Action, ...paths), Effect: 'Deny' })

/** `bucket` or `bucket/key`; nothing for the service. */
function resource(path: string | undefined): AccessResource {
  if (path === undefined) return {}
  const slash = path.indexOf('/')
  return slash === -1 ? { bucket: path } : { bucket: path.slice(0, slash), key: path.slice(slash + 1) }
}

const rows: readonly Row[] = [
  ['no statement that matches', [allow('s3:GetObject', 'b/*')], 's3:PutObject', 'b/k', 'implicit-deny'],
  ['allowed', [allow('s3:GetObject', 'b/*')], 's3:GetObject', 'b/k', 'allow'],
  ['a deny beats an allow before it', [allow('s3:*', '*'), deny('s3:GetObject', 'b/*')], 's3:GetObject', 'b/k', 'deny'],
  ['a deny beats an allow after it', [deny('s3:GetObject', 'b/*'), allow('s3:*', '*')], 's3:GetObject', 'b/k', 'deny'],
  [
    'a deny of something else does not',
    [deny('s3:GetObject', 'b/*'), allow('s3:*', '*')],
    's3:GetObject',
    'c/k',
    'allow',
  ],
  ['only a deny', [deny('s3:PutObject', '*')], 's3:GetObject', 'b/k', 'implicit-deny'],
  [
    'any allow of several',
    [allow('s3:GetObject', 'x/*'), allow('s3:GetObject', 'b/*')],
    's3:GetObject',
    'b/k',
    'allow',
  ],
  ['any action of a list', [allow(['s3:PutObject', 's3:GetObject'], 'b/*')], 's3:GetObject', 'b/k', 'allow'],
  ['action names in any case', [allow('S3:getOBJECT', 'b/*')], 's3:GetObject', 'b/k', 'allow'],
  ['every action', [allow('*', 'b/*')], 's3:GetObject', 'b/k', 'allow'],
  ['actions by prefix', [allow('s3:Get*', 'b/*')], 's3:GetObjectVersion', 'b/k', 'allow'],
  ['actions by question mark', [allow('s3:?etObject', 'b/*')], 's3:GetObject', 'b/k', 'allow'],
  ['an action is whole', [allow('s3:GetObject', 'b/*')], 's3:GetObjectVersion', 'b/k', 'implicit-deny'],
  ['a bucket is not its objects', [allow('s3:*', 'b')], 's3:GetObject', 'b/k', 'implicit-deny'],
  ['objects are not their bucket', [allow('s3:*', 'b/*')], 's3:ListBucket', 'b', 'implicit-deny'],
  ['a bucket', [allow('s3:ListBucket', 'b')], 's3:ListBucket', 'b', 'allow'],
  ['resources in their case', [allow('s3:*', 'b/K')], 's3:GetObject', 'b/k', 'implicit-deny'],
  ['a star takes slashes', [allow('s3:*', 'b/a/*')], 's3:GetObject', 'b/a/b/c', 'allow'],
  ['a prefix of keys', [allow('s3:*', 'b/home/me/*')], 's3:GetObject', 'b/home/you/x', 'implicit-deny'],
  ['dots are a name', [allow('s3:*', 'b/home/me/*')], 's3:GetObject', 'b/home/../x', 'implicit-deny'],
  ['a star in a key is a character', [allow('s3:*', 'b/a*')], 's3:GetObject', 'b/*', 'implicit-deny'],
  ['a bucket by prefix', [allow('s3:*', 'logs-*')], 's3:ListBucket', 'logs-2020', 'allow'],
  ['a prefix without slash takes keys too', [allow('s3:*', 'b*')], 's3:GetObject', 'b/k', 'allow'],
  ['a key with a slash at the start', [allow('s3:*', 'b//*')], 's3:GetObject', 'b//k', 'allow'],
  ['listing all buckets', [allow('s3:ListAllMyBuckets', '*')], 's3:ListAllMyBuckets', undefined, 'allow'],
  [
    'listing all is not had by one bucket',
    [allow('s3:*', 'b', 'b/*')],
    's3:ListAllMyBuckets',
    undefined,
    'implicit-deny',
  ],
  ['NotAction', [{ Effect: 'Allow', NotAction: 's3:Delete*', Resource: '*' }], 's3:GetObject', 'b/k', 'allow'],
  [
    'NotAction, the exception',
    [{ Effect: 'Allow', NotAction: 's3:Delete*', Resource: '*' }],
    's3:DeleteObject',
    'b/k',
    'implicit-deny',
  ],
  [
    'NotAction denied',
    [allow('s3:*', '*'), { Effect: 'Deny', NotAction: 's3:Get*', Resource: '*' }],
    's3:PutObject',
    'b/k',
    'deny',
  ],
  [
    'NotAction is no allow',
    [{ Effect: 'Deny', NotAction: 's3:Get*', Resource: '*' }],
    's3:GetObject',
    'b/k',
    'implicit-deny',
  ],
  ['NotResource', [{ Effect: 'Allow', Action: 's3:*', NotResource: arn('hr/*') }], 's3:GetObject', 'b/k', 'allow'],
  [
    'NotResource, the exception',
    [{ Effect: 'Allow', Action: 's3:*', NotResource: arn('hr/*') }],
    's3:GetObject',
    'hr/k',
    'implicit-deny',
  ],
  [
    'NotResource denied: all but one’s own',
    [allow('s3:*', '*'), { Effect: 'Deny', Action: 's3:*', NotResource: [arn('me'), arn('me/*')] }],
    's3:GetObject',
    'you/k',
    'deny',
  ],
  [
    'NotResource denied leaves one’s own',
    [allow('s3:*', '*'), { Effect: 'Deny', Action: 's3:*', NotResource: [arn('me'), arn('me/*')] }],
    's3:GetObject',
    'me/k',
    'allow',
  ],
  [
    'deleting is not deleting versions',
    [allow('s3:DeleteObject', 'b/*')],
    's3:DeleteObjectVersion',
    'b/k',
    'implicit-deny',
  ],
  [
    'deleting versions is not deleting',
    [allow('s3:DeleteObjectVersion', 'b/*')],
    's3:DeleteObject',
    'b/k',
    'implicit-deny',
  ],
  [
    'denied versions leave deleting',
    [allow('s3:*', '*'), deny('s3:DeleteObjectVersion', '*')],
    's3:DeleteObject',
    'b/k',
    'allow',
  ],
  ['listing versions is its own', [allow('s3:ListBucket', 'b')], 's3:ListBucketVersions', 'b', 'implicit-deny'],
  ['listing versions is of the bucket', [allow('s3:*', 'b/*')], 's3:ListBucketVersions', 'b', 'implicit-deny'],
  ['the past is not given with S3', [allow('s3:*', '*')], 'varve:ReadHistory', 'b', 'implicit-deny'],
  ['the past is not given with everything', [allow('*', '*')], 'varve:ReadHistory', 'b', 'implicit-deny'],
  [
    'the past is not given with everything else',
    [{ Effect: 'Allow', NotAction: 's3:DeleteBucket', Resource: '*' }],
    'varve:ReadHistory',
    'b',
    'implicit-deny',
  ],
  ['the past, named', [allow('varve:ReadHistory', 'b')], 'varve:ReadHistory', 'b', 'allow'],
  ['the past, named by a pattern', [allow(['s3:*', 'VARVE:Read*'], 'b')], 'varve:ReadHistory', 'b', 'allow'],
  ['the past of another bucket', [allow('varve:*', 'c', 'b/*')], 'varve:ReadHistory', 'b', 'implicit-deny'],
  ['the past gives nothing else', [allow('varve:*', '*')], 's3:GetObject', 'b/k', 'implicit-deny'],
  ['the past, denied with everything', [allow('varve:*', '*'), deny('*', '*')], 'varve:ReadHistory', 'b', 'deny'],
  [
    'the past, denied with everything else',
    [allow('varve:*', '*'), { Effect: 'Deny', NotAction: 's3:*', Resource: '*' }],
    'varve:ReadHistory',
    'b',
    'deny',
  ],
  ['a name of the prototype', [allow('s3:*', '__proto__/*')], 's3:GetObject', '__proto__/constructor', 'allow'],
]

describe('evaluating a policy', () => {
  it.each(rows)('%s', (...[, statements, action, on, verdict]) => {
    const policy = parsePolicy({ Version: '2012-10-17', Statement: statements })
    expect(evaluatePolicy(policy, { action, resource: resource(on) })).toBe(verdict)
  })
})

/** Random documents of policies: every element, every operator, every form of a set. */

import type { Random } from '../../support/random.ts'
import type { PolicyDocument, StatementDocument, Values } from './world.ts'

export interface Draw {
  readonly random: Random
  readonly ids: readonly string[]
  readonly names: readonly string[]
}

/** Of an identity, or of a bucket. */
export function drawPolicy(draw: Draw, bucket: string | undefined): PolicyDocument {
  const { random } = draw
  const Statement = Array.from({ length: random.below(3) + 1 }, () => drawStatement(draw, bucket))
  return { Version: random.chance(0.8) ? '2012-10-17' : '2008-10-17', Statement }
}

function drawStatement(draw: Draw, bucket: string | undefined): StatementDocument {
  const { random } = draw
  const Effect = random.chance(0.75) ? 'Allow' : 'Deny'
  const actions = someOf(random, actionPatterns)
  const resources = someOf(random, resourcesOf(bucket))
  return {
    Effect,
    ...(bucket !== undefined && drawPrincipal(draw, Effect)),
    ...(random.chance(0.85) ? { Action: actions } : { NotAction: actions }),
    ...(random.chance(0.85) ? { Resource: resources } : { NotResource: resources }),
    ...(random.chance(0.5) && { Condition: drawCondition(draw) }),
  }
}

function someOf(random: Random, all: readonly string[]): string | readonly string[] {
  if (random.chance(0.5)) return random.pick(all)
  return Array.from({ length: random.below(3) + 1 }, () => random.pick(all))
}

const actionPatterns: readonly string[] =
  `* s3:* s3:* s3:Get* s3:Put* s3:List* s3:*Object s3:?etObject* s3:*Version* s3:*Acl s3:GetObject s3:PutObject
  s3:getobjectversion s3:DeleteObject s3:ListBucket s3:CreateBucket s3:PutObjectAcl s3:PutObjectTagging s3:PutBucketAcl
  s3:ListBucketVersions s3:*Tagging s3:*Policy s3:AbortMultipartUpload s3:ListAllMyBuckets s3:Put*Retention s3:PutBucket*
  S3:PUTOBJECTLEGALHOLD`.split(/\s+/)

function resourcesOf(bucket: string | undefined): readonly string[] {
  const name = bucket ?? 'bucket'
  const within = [name, `${name}/*`, `${name}/*`, `${name}*`, `${name}/a/*`, `${name}/?`, `${name}/b`]
  const filled = [`${name}/home/\${aws:username}/*`, `${name}/\${*}`, `${name}/home/\${aws:username, 'alice'}/?`]
  const tagged = [`${name}/*\${s3:ExistingObjectTag/stage}*`]
  const anywhere = bucket === undefined ? ['*/b', '?????*', 'other', 'other/*', '*'] : [`${bucket.slice(0, 3)}*`]
  const paths = within.concat(filled, tagged, anywhere)
  return ['*', '*'].concat(paths.map((path) => `arn:aws:s3:::${path}`))
}

function drawPrincipal({ random, ids, names }: Draw, effect: string): Partial<StatementDocument> {
  const id = random.pick(ids)
  const arn = (kind: string) => `arn:aws:iam::${id}:${kind}`
  const principal = random.pick<NonNullable<StatementDocument['Principal']>>([
    '*',
    '*',
    { AWS: '*' },
    { AWS: id },
    { AWS: [random.pick(ids), random.pick(ids)] },
    { AWS: arn('root') },
    { AWS: arn(`user/${random.pick(names)}`) },
    { CanonicalUser: id },
    { Service: 'logging.s3.amazonaws.com' },
    { AWS: random.pick(ids), CanonicalUser: random.pick(ids) },
  ])
  return effect === 'Deny' && random.chance(0.2) ? { NotPrincipal: principal } : { Principal: principal }
}

interface Line {
  readonly operators: readonly string[]
  readonly keys: readonly string[]
  readonly values: readonly (string | boolean | number)[]
}

const strings = [
  'StringEquals',
  'StringNotEquals',
  'StringEqualsIgnoreCase',
  'StringNotEqualsIgnoreCase',
  'StringLike',
  'StringNotLike',
]
const numbers = [
  'NumericEquals',
  'NumericNotEquals',
  'NumericLessThan',
  'NumericLessThanEquals',
  'NumericGreaterThan',
  'NumericGreaterThanEquals',
]
const dates = [
  'DateEquals',
  'DateNotEquals',
  'DateLessThan',
  'DateLessThanEquals',
  'DateGreaterThan',
  'DateGreaterThanEquals',
]
const text = (keys: string, ...values: readonly (string | boolean | number)[]): Line => ({
  operators: strings,
  keys: keys.split(' '),
  values,
})

const lines: readonly Line[] = [
  text(
    'aws:username aws:userid aws:PrincipalAccount',
    'alice',
    'id-alice',
    'id-*',
    '*',
    'anonymous',
    'ALICE',
    '${aws:username}',
    'b?b',
  ),
  text('aws:Referer aws:UserAgent', 'https://example.com/', 'https://*', 'reader/*', 'READER/1.0'),
  text('s3:prefix', 'home/', 'home/*', 'home/${aws:username}/', 'a/', ''),
  text('s3:delimiter', '/', ''),
  text('s3:VersionId S3:VERSIONID', 'v1', 'v?', 'v2'),
  text('s3:x-amz-acl', 'private', 'public-*', 'bucket-owner-full-control'),
  text('s3:x-amz-grant-read', 'id=id-bob', 'id=*'),
  text('s3:x-amz-storage-class', 'STANDARD', 'glacier'),
  text('s3:x-amz-copy-source', 'bucket/*', 'other/b', 'bucket/${aws:username}'),
  text('s3:x-amz-object-ownership', 'ObjectWriter'),
  text('s3:ExistingObjectTag/stage s3:RequestObjectTag/stage', 'test', 'prod', 'p*', '${s3:ExistingObjectTag/stage}'),
  text('s3:RequestObjectTagKeys', 'stage', 'team', 's*'),
  text('s3:object-lock-mode s3:object-lock-legal-hold', 'GOVERNANCE', 'ON', 'off'),
  text('s3:if-match s3:if-none-match', '*', '"e"'),
  text('s3:LocationConstraint', 'eu', 'us-*'),
  text('s3:authType aws:PrincipalType', 'REST-HEADER', 'Anonymous', 'User', 'REST-*'),
  text('aws:SourceVpce aws:PrincipalOrgID', 'vpce-1', '*'),
  {
    operators: numbers,
    keys: ['s3:max-keys', 's3:object-lock-remaining-retention-days', 'aws:EpochTime'],
    values: [1, '10', 30, 5.5, 1_781_524_800],
  },
  {
    operators: dates,
    keys: ['aws:CurrentTime'],
    values: ['2026-06-15T12:00:00Z', '2025-01-01', '2030-01-01T00:00:00Z', '1781524800'],
  },
  {
    operators: ['Bool'],
    keys: ['aws:SecureTransport', 's3:ObjectCreationOperation', 'aws:ViaAWSService'],
    values: [true, 'false', 'TRUE'],
  },
  { operators: ['BinaryEquals'], keys: ['s3:VersionId', 's3:x-amz-storage-class'], values: ['djE=', 'R0xB'] },
  {
    operators: ['IpAddress', 'NotIpAddress'],
    keys: ['aws:SourceIp'],
    values: [
      '203.0.113.0/24',
      '203.0.113.7',
      '10.0.0.0/8',
      '0.0.0.0/0',
      '2001:db8::/32',
      '::/0',
      '8.0.0.0/8',
      '9.0.0.0/8',
      '203.0.113.8/29',
    ],
  },
  { operators: ['IpAddress'], keys: ['aws:SourceIp'], values: ['8.0.0.0/8', '9.0.0.0/8', '10.0.0.0/8'] },
  {
    operators: ['ArnEquals', 'ArnLike', 'ArnNotEquals', 'ArnNotLike'],
    keys: ['aws:PrincipalArn', 'aws:SourceArn'],
    values: [
      'arn:aws:iam::id-alice:user/alice',
      'arn:aws:iam::*:user/*',
      'arn:aws:*:user/*:*:*:*',
      'arn:aws:iam::id-bob:user/${aws:username}',
      '*',
    ],
  },
  {
    operators: ['Null'],
    keys: [
      'aws:username',
      's3:prefix',
      's3:x-amz-acl',
      's3:if-match',
      's3:RequestObjectTagKeys',
      's3:VersionId',
      'aws:SourceVpce',
    ],
    values: [true, false, 'true'],
  },
]

function drawCondition(draw: Draw): NonNullable<StatementDocument['Condition']> {
  const { random } = draw
  const found: Record<string, Record<string, Values>> = {}
  for (let left = random.below(2) + 1; left > 0; left -= 1) {
    const { operators, keys, values } = random.pick(lines)
    const name = random.pick(operators)
    const operator = name === 'Null' ? name : `${random.pick(sets)}${name}${random.chance(0.2) ? 'IfExists' : ''}`
    const drawn = Array.from({ length: random.below(3) + 1 }, () => random.pick(values))
    found[operator] = {
      ...found[operator],
      [random.pick(keys)]: drawn.length === 1 && random.chance(0.7) ? (drawn[0] ?? '') : drawn,
    }
  }
  return found
}

const sets = ['', '', '', '', 'ForAllValues:', 'ForAnyValue:']

import { describe, expect, it } from 'vitest'
import type { RequestLog } from '../contract/request-log.ts'
import { accessLine, type SentRequest } from './access-line.ts'
import { logObjectKey } from './log-object-key.ts'
import { mayDeliver } from './may-deliver.ts'
import { operationName } from './operation-names.ts'
import { parseBucketPolicy } from '../policies/bucket-policy.ts'

const time = Date.UTC(2026, 1, 6, 0, 0, 38)
const place = { bucket: 'photos', owner: 'ann', region: 'eu' }
const entry: RequestLog = {
  requestId: '3E57427F3',
  time,
  address: '192.0.2.3',
  identity: 'bob',
  method: 'GET',
  operation: 'GetObject',
  bucket: 'photos',
  key: 'a "cat"\n/é.png',
  path: '/photos/a',
  status: 206,
  durationMs: 69.6,
  bytesReceived: 0,
  bytesSent: 10,
  versionId: 'v1',
}
const sent: SentRequest = {
  rawUrl: '/photos/a?x-id=1',
  httpVersion: '1.1',
  rawHeaders: ['Authorization', 'AWS4-HMAC-SHA256 x', 'Host', 's3.example', 'User-Agent', 'agent "1"\t'],
  answer: { 'content-range': 'bytes 0-9/2662992' },
  answeredMs: 7.2,
}

describe('a line of an access log', () => {
  it('has all fields of S3 in their order', () => {
    const words = accessLine(entry, sent, place)
    expect(words).toBe(
      'ann photos [06/Feb/2026:00:00:38 +0000] 192.0.2.3 bob 3E57427F3 REST.GET.OBJECT a%20%22cat%22%0A/%C3%A9.png ' +
        '"GET /photos/a?x-id=1 HTTP/1.1" 206 - 10 2662992 70 7 "-" "agent %221%22%09" v1 - SigV4 - AuthHeader s3.example ' +
        '- - - eu\n',
    )
  })

  it('has - for what is unknown', () => {
    const { identity: _, key: __, versionId: ___, address: ____, operation: _____, ...rest } = entry
    const bare = { ...rest, status: 403, errorCode: 'AccessDenied', bytesSent: 0 }
    expect(accessLine(bare, { ...sent, rawHeaders: [], answer: {} }, place)).toBe(
      'ann photos [06/Feb/2026:00:00:38 +0000] - - 3E57427F3 REST.GET.BUCKET - "GET /photos/a?x-id=1 HTTP/1.1" 403 ' +
        'AccessDenied - - 70 7 "-" "-" - - - - - - - - - eu\n',
    )
  })

  it('has no signature, token or key of a presigned URL', () => {
    const secret = 'c2VjcmV0'
    const rawUrl = `/photos/a?X-Amz-Signature=${secret}&X%2DAmz%2DSecurity-Token=${secret}&Signature=${secret}&x=1`
    const line = accessLine(entry, { ...sent, rawUrl, rawHeaders: [] }, place)
    expect(line).not.toContain(secret)
    expect(line).toContain('&x=1 HTTP/1.1"')
    expect(line).toContain(' SigV4 - QueryString ')
  })

  it('has the size of what was written, and TLS', () => {
    const put = { ...entry, method: 'PUT', operation: 'PutObject', status: 200, bytesReceived: 7 }
    const line = accessLine(put, { ...sent, answer: {}, cipher: 'ECDHE-X', tlsVersion: 'TLSv1.3' }, place)
    expect(line).toContain(' 200 - 10 7 70 ')
    expect(line).toContain(' SigV4 ECDHE-X AuthHeader s3.example TLSv1.3 ')
  })
})

describe('the name of an operation', () => {
  it.each([
    ['GetBucketVersioning', 'GET', 'REST.GET.VERSIONING'],
    ['ListObjectsV2', 'GET', 'REST.GET.BUCKET'],
    ['ListObjectVersions', 'GET', 'REST.GET.BUCKETVERSIONS'],
    ['DeleteObjects', 'POST', 'REST.POST.MULTI_OBJECT_DELETE'],
    ['CreateMultipartUpload', 'POST', 'REST.POST.UPLOADS'],
    ['CompleteMultipartUpload', 'POST', 'REST.POST.UPLOAD'],
    ['UploadPart', 'PUT', 'REST.PUT.PART'],
    ['CopyObject', 'PUT', 'REST.COPY.OBJECT'],
    ['PutObjectTagging', 'PUT', 'REST.PUT.OBJECT_TAGGING'],
    ['GetBucketPolicy', 'GET', 'REST.GET.BUCKETPOLICY'],
    ['HeadBucket', 'HEAD', 'REST.HEAD.BUCKET'],
    ['PutBucketLogging', 'PUT', 'REST.PUT.LOGGING_STATUS'],
    ['Website', 'GET', 'WEBSITE.GET.OBJECT'],
  ])('of %s is that of S3', (operation, method, name) => {
    expect(operationName({ operation, method })).toBe(name)
  })
})

describe('the key of a delivered object', () => {
  const named = { ...place, now: time, day: Date.UTC(2026, 1, 5), unique: 'ABCD' }
  const target = { targetBucket: 'logs', targetPrefix: 'log/' }

  it.each([
    ['simple', { kind: 'simple' }, 'log/2026-02-06-00-00-38-ABCD'],
    [
      'partitioned by the time of the request',
      { kind: 'partitioned', dateSource: 'EventTime' },
      'log/ann/eu/photos/2026/02/05/2026-02-05-00-00-00-ABCD',
    ],
    [
      'partitioned by the time of delivery',
      { kind: 'partitioned', dateSource: 'DeliveryTime' },
      'log/ann/eu/photos/2026/02/06/2026-02-06-00-00-38-ABCD',
    ],
  ] as const)('is %s', (_, keyFormat, key) => {
    expect(logObjectKey({ ...named, target: { ...target, keyFormat } })).toBe(key)
  })
})

describe('log delivery', () => {
  const delivered = { bucket: 'logs', key: 'log/1', source: { bucket: 'photos', owner: 'ann' } }
  const owner = { id: 'ann', name: 'Ann' }
  const policy = (statement: object) =>
    parseBucketPolicy(
      JSON.stringify({
        Version: '2012-10-17',
        Statement: [
          {
            Effect: 'Allow',
            Principal: { Service: 'logging.s3.amazonaws.com' },
            Action: 's3:PutObject',
            Resource: 'arn:aws:s3:::logs/log/*',
            ...statement,
          },
        ],
      }),
      'logs',
    )
  const from = (bucket: string) => ({
    Condition: { ArnLike: { 'aws:SourceArn': `arn:aws:s3:::${bucket}` }, StringEquals: { 'aws:SourceAccount': 'ann' } },
  })

  it.each([
    ['nothing', {}, false],
    ['its policy', { policy: policy({}) }, true],
    ['its policy for that source', { policy: policy(from('photos')) }, true],
    ['its policy for another source', { policy: policy(from('films')) }, false],
    ['its policy for another service', { policy: policy({ Principal: { Service: 'other.amazonaws.com' } }) }, false],
    [
      'its policy for the name as an account',
      { policy: policy({ Principal: { AWS: 'logging.s3.amazonaws.com' } }) },
      false,
    ],
  ])('may write to a bucket that allows it by %s: %#', (_, access, allowed) => {
    expect(mayDeliver({ owner, ...access }, delivered)).toBe(allowed)
  })

  const acl = { owner: 'ann', grants: [{ grantee: { group: 'LogDelivery' }, permission: 'WRITE' }] } as const

  it('may write to a bucket by its ACL, unless ACLs are off or the policy denies it', () => {
    expect(mayDeliver({ owner, acl }, delivered)).toBe(true)
    expect(mayDeliver({ owner, acl, ownership: 'BucketOwnerEnforced' }, delivered)).toBe(false)
    expect(mayDeliver({ owner, acl, policy: policy({ Effect: 'Deny' }) }, delivered)).toBe(false)
  })
})

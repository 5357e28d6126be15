/** Requester Pays: only the owner and root use the bucket without accepting the charges. */
import { createHash } from 'node:crypto'
import { presign } from 'varve/http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectStatus, openTestService, refusal, type TestService } from '../acceptance/support/test-service.ts'
import { policyOf } from './past/past-bucket.ts'

let service: TestService
beforeAll(async () => {
  service = await openTestService({
    policies: { admin: [{ Effect: 'Allow', Action: ['s3:*', 'varve:*'], Resource: '*' }] },
    serve: { bucketDefaults: 'open' },
  })
})
afterAll(() => service.stop())

const payment = (payer: string) => `<RequestPaymentConfiguration><Payer>${payer}</Payer></RequestPaymentConfiguration>`
const accepting = { 'x-amz-request-payer': 'requester' }
const idOf = (name: string) => createHash('sha256').update(name).digest('hex')

async function paidBucket() {
  const bucket = await service.bucket({ as: 'ann' })
  const everything = [
    { Principal: '*', Action: 's3:*' },
    { Principal: { AWS: idOf('bob') }, Action: 's3:*' },
  ]
  expectStatus(await service.ask(`PUT /${bucket}?policy`, { as: 'ann', body: policyOf(bucket, everything) }), 204)
  expectStatus(await service.ask(`PUT /${bucket}/k`, { as: 'ann', body: 'bytes' }), 200)
  expectStatus(await service.ask(`PUT /${bucket}?requestPayment`, { as: 'ann', body: payment('Requester') }), 200)
  return bucket
}

const md5Of = (text: string) => createHash('md5').update(text).digest('base64')
const objects = '<Delete><Object><Key>k2</Key></Object></Delete>'

interface Line {
  readonly line: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Every kind of request to the bucket. */
const lines = (bucket: string, own: string): readonly Line[] => [
  { line: `GET /${bucket}/k` },
  { line: `HEAD /${bucket}/k` },
  { line: `GET /${bucket}/k?acl` },
  { line: `GET /${bucket}/k?tagging` },
  { line: `GET /${bucket}` },
  { line: `HEAD /${bucket}` },
  { line: `GET /${bucket}?list-type=2` },
  { line: `GET /${bucket}?versions` },
  { line: `GET /${bucket}?uploads` },
  { line: `GET /${bucket}?location` },
  { line: `GET /${bucket}?policy` },
  { line: `GET /${bucket}?requestPayment` },
  { line: `PUT /${bucket}/k2`, body: 'more' },
  { line: `PUT /${bucket}/k3`, headers: { 'x-amz-copy-source': `/${bucket}/k` } },
  { line: `PUT /${own}/k`, headers: { 'x-amz-copy-source': `/${bucket}/k` } },
  { line: `POST /${bucket}/k4?uploads` },
  { line: `POST /${bucket}?delete`, body: objects, headers: { 'content-md5': md5Of(objects) } },
  { line: `DELETE /${bucket}/k3` },
]

describe('a bucket whose requesters pay', () => {
  it.each(['bob', 'admin'])('refuses every request of %s that does not accept the charges', async (as) => {
    const bucket = await paidBucket()
    const own = await service.bucket({ as: 'bob' })
    for (const { line, body = '', headers = {} } of lines(bucket, own)) {
      for (const payer of [undefined, '', 'owner', 'Requester', 'true']) {
        const more: Line['headers'] = payer === undefined ? {} : { 'x-amz-request-payer': payer }
        const refused = await service.ask(line, { as, body, headers: { ...headers, ...more } })
        expect([line, payer, refused.status]).toEqual([line, payer, 403])
        if (!line.startsWith('HEAD')) expect(refusal(refused)).toEqual([403, 'AccessDenied'])
        expect(refused.headers).not.toHaveProperty('x-amz-request-charged')
      }
      const accepted = await service.ask(line, { as, body, headers: { ...headers, ...accepting } })
      expect([line, accepted.status < 300]).toEqual([line, true])
      expect([line, accepted.headers['x-amz-request-charged']]).toEqual([line, 'requester'])
    }
  })

  it('lets a presigned URL accept the charges', async () => {
    const bucket = await paidBucket()
    const { host, port, credentials } = service.server
    const status = async (rawQuery: string) => {
      const options = { ...credentials('bob'), region: 'eu', now: Date.now(), expiresSeconds: 60 }
      const request = { method: 'GET', rawPath: `/${bucket}/k`, rawQuery, headers: [['host', host]] as const }
      return (await fetch(`http://127.0.0.1:${port}/${bucket}/k?${presign(request, options).rawQuery}`)).status
    }
    expect([await status(''), await status('x-amz-request-payer=requester')]).toEqual([403, 200])
  })

  it('charges neither its owner nor root', async () => {
    const bucket = await paidBucket()
    const own = await service.bucket({ as: 'ann' })
    for (const as of ['ann', 'root']) {
      for (const { line, body = '', headers = {} } of lines(bucket, own)) {
        const answer = await service.ask(line, { as, body, headers })
        expect([as, line, answer.status < 300]).toEqual([as, line, true])
        expect(answer.headers).not.toHaveProperty('x-amz-request-charged')
      }
    }
  })

  it('refuses requests without credentials, whatever they accept', async () => {
    const bucket = await paidBucket()
    for (const headers of [{}, accepting]) {
      expect(refusal(await service.ask(`GET /${bucket}/k`, { as: 'nobody', headers }))).toEqual([403, 'AccessDenied'])
    }
  })

  it('is open again, without charges, when its owner pays', async () => {
    const bucket = await paidBucket()
    const body = payment('BucketOwner')
    expectStatus(await service.ask(`PUT /${bucket}?requestPayment`, { as: 'ann', body }), 200)
    const answer = expectStatus(await service.ask(`GET /${bucket}/k`, { as: 'bob', headers: accepting }), 200)
    expect(answer.headers).not.toHaveProperty('x-amz-request-charged')
    expectStatus(await service.ask(`GET /${bucket}/k`, { as: 'nobody' }), 200)
  })
})

describe('a block of public access', () => {
  const block = (setting: string) =>
    `<PublicAccessBlockConfiguration><${setting}>true</${setting}></PublicAccessBlockConfiguration>`

  it('is named with its setting by the refusal of a public policy or ACL', async () => {
    const bucket = await service.bucket({ as: 'ann' })
    const read = [{ Principal: '*', Action: 's3:GetObject', Resource: `arn:aws:s3:::${bucket}/*` }]
    expectStatus(await service.ask(`PUT /${bucket}/k`, { as: 'ann' }), 200)
    const requests = {
      BlockPublicPolicy: [{ line: `PUT /${bucket}?policy`, body: policyOf(bucket, read), headers: {} }],
      BlockPublicAcls: [`/${bucket}?acl`, `/${bucket}/k?acl`, `/${bucket}/k2`].map((path) => ({
        line: `PUT ${path}`,
        body: '',
        headers: { 'x-amz-acl': 'public-read' },
      })),
    }
    for (const [setting, refused] of Object.entries(requests)) {
      const body = block(setting)
      expectStatus(await service.ask(`PUT /${bucket}?publicAccessBlock`, { as: 'ann', body }), 200)
      for (const { line, ...options } of refused) {
        const answer = await service.ask(line, { as: 'ann', ...options })
        expect(refusal(answer)).toEqual([403, 'AccessDenied'])
        expect(answer.xml().get('Message')).toContain(`the ${setting} setting`)
      }
    }
  })
})

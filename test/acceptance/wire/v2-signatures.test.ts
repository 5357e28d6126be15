/** Requests and forms signed by version 2, made by hand. */
import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestService, expectStatus, openTestService } from '../support/test-service.ts'
import { credentialsOf } from '../support/test-server.ts'

const { accessKeyId, secretAccessKey } = credentialsOf('root')
const hmac = (text: string): string => createHmac('sha1', secretAccessKey).update(text).digest('base64')

describe('version 2 signatures', () => {
  let aws: TestService
  let neutral: TestService
  beforeAll(async () => {
    aws = await openTestService({ dialect: 'aws' })
    neutral = await openTestService()
  })
  afterAll(async () => {
    await aws.stop()
    await neutral.stop()
  })

  const url = (service: TestService, method: string, path: string, added = '') => {
    const expires = String(Math.floor(Date.now() / 1000) + 60)
    const signature = encodeURIComponent(hmac(`${method}\n\n\n${expires}\n${path}`))
    return `http://127.0.0.1:${service.server.port}${path}?AWSAccessKeyId=${accessKeyId}&Expires=${expires}&Signature=${signature}${added}`
  }
  const send = async (service: TestService, method: string, path: string, added = '') => {
    const answer = await fetch(url(service, method, path, added), {
      method,
      ...(method === 'PUT' && { body: new Uint8Array(5) }),
    })
    return [answer.status, /<Code>(.*)<\/Code>/.exec(await answer.text())?.[1]]
  }

  it('make URLs that work in aws, and are refused in neutral', async () => {
    for (const [service, expected] of [
      [aws, [200, undefined]],
      [neutral, [400, 'InvalidRequest']],
    ] as const) {
      const bucket = await service.bucket()
      await service.put(`/${bucket}/k`, 'bytes')
      expect(await send(service, 'GET', `/${bucket}/k`)).toEqual(expected)
      expect(await send(service, 'PUT', `/${bucket}/k`)).toEqual(expected)
    }
  })

  it.each(['&tagging', '&acl', '&retention', '&legal-hold', '&uploadId=1&partNumber=1', '&x-amz-acl=public-read'])(
    'make no URL that can do more by %s',
    async (added) => {
      const bucket = await aws.bucket()
      expect(await send(aws, 'PUT', `/${bucket}/k`, added)).toEqual([403, 'SignatureDoesNotMatch'])
      expect((await aws.ask(`GET /${bucket}/k`)).status).toBe(404)
    },
  )

  it('look back by the name of the bucket alone', async () => {
    const bucket = await aws.bucket({ versioning: 'Enabled' })
    const seq = (await aws.ask(`PUT /${bucket}/k`, { body: 'old' })).headers['x-varve-seq']
    await aws.put(`/${bucket}/k`, 'new')
    const past = await fetch(url(aws, 'GET', `/${bucket}--at-${seq}/k`))
    expect([past.status, await past.text(), past.headers.get('x-varve-at')]).toEqual([200, 'old', seq])
    expect(await send(aws, 'GET', `/${bucket}/k`, `&x-varve-at=${seq}`)).toEqual([403, 'AccessDenied'])
    const turned = await fetch(url(aws, 'GET', `/${bucket}/k`), { headers: { 'x-varve-at': String(seq) } })
    expect(turned.status).toBe(403)
  })

  it('can be refused by a policy, in URLs and in forms', async () => {
    const bucket = await aws.bucket()
    await aws.put(`/${bucket}/k`, 'bytes')
    const policy = {
      expiration: new Date(Date.now() + 60_000).toISOString(),
      conditions: [{ bucket }, { key: 'form' }],
    }
    const base64 = Buffer.from(JSON.stringify(policy)).toString('base64')
    const post = async () => {
      const form = new FormData()
      const fields = { key: 'form', AWSAccessKeyId: accessKeyId, policy: base64, signature: hmac(base64) }
      for (const [name, value] of Object.entries(fields)) form.set(name, value)
      form.set('file', new Blob(['bytes']))
      return (await fetch(`http://127.0.0.1:${aws.server.port}/${bucket}`, { method: 'POST', body: form })).status
    }
    expect([(await send(aws, 'GET', `/${bucket}/k`))[0], await post()]).toEqual([200, 204])
    const statement = {
      Effect: 'Deny',
      Principal: '*',
      Action: ['s3:GetObject', 's3:PutObject'],
      Resource: `arn:aws:s3:::${bucket}/*`,
      Condition: { StringEquals: { 's3:signatureversion': 'AWS' } },
    }
    const body = JSON.stringify({ Version: '2012-10-17', Statement: [statement] })
    expectStatus(await aws.ask(`PUT /${bucket}?policy`, { body }), 204)
    expect([(await send(aws, 'GET', `/${bucket}/k`))[0], await post()]).toEqual([403, 403])
    expectStatus(await aws.ask(`GET /${bucket}/k`), 200)
  })
})

/** Parameters that S3 knows are refused in the wrong place, as errors of the client; another API is not a bucket. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call } from '../support/call.ts'
import { expectStatus, openTestService, refusal, type TestService } from '../support/test-service.ts'

describe('a parameter in the wrong place', () => {
  let service: TestService
  let bucket: string
  beforeAll(async () => {
    service = await openTestService()
    bucket = await service.bucket()
    await service.put(`/${bucket}/k`)
  })
  afterAll(() => service.stop())

  it.each([
    ['POST', '/k?uploads&uploadId=a'],
    ['GET', '/k?uploads&uploadId=a'],
    ['POST', '/k?uploadId=a&partNumber=1'],
    ['PUT', '/k?partNumber=1'],
    ['PUT', '/k?uploadId=a'],
    ['PUT', '/k?partNumber=1&uploadId=a&tagging'],
    ['PUT', '/k?acl&tagging'],
    ['DELETE', '/k?tagging&uploadId=a'],
    ['DELETE', '/k?acl'],
    ['PUT', '/k?prefix=a'],
    ['PUT', '/k?response-content-type=a'],
    ['GET', '/k?policy'],
    ['GET', '/k?uploads'],
    ['GET', '/k?prefix='],
    ['GET', '?acl&policy'],
    ['PUT', '?acl&policy'],
    ['DELETE', '?cors&policy'],
    ['GET', '?versions&uploads'],
    ['GET', '?acl&replication'],
    ['PUT', '?acl&replication'],
    ['PUT', '?uploadId=a'],
    ['DELETE', '?uploads'],
    ['GET', '?retention'],
  ])('%s %s is InvalidArgument', async (method, rest) => {
    const answer = await service.ask(`${method} /${bucket}${rest}`, { body: method === 'PUT' ? 'x' : '' })
    expect(refusal(answer)).toEqual([400, 'InvalidArgument'])
    expectStatus(await service.ask(`HEAD /${bucket}/k`), 200)
  })

  it.each([
    ['GET', '/k?versionid=null'],
    ['HEAD', '/k?VersionId=null'],
    ['GET', '/k?PartNumber=1'],
    ['GET', '/k?Response-Content-Type=a'],
    ['GET', '?Prefix=a'],
    ['GET', '?List-Type=2'],
    ['DELETE', '/k?Tagging'],
  ])('%s %s is NotImplemented: names have their case', async (method, rest) => {
    expectStatus(await service.ask(`${method} /${bucket}${rest}`), 501)
    expectStatus(await service.ask(`HEAD /${bucket}/k`), 200)
  })

  it('is named', async () => {
    const both = (await service.ask(`GET /${bucket}?acl&policy`)).xml()
    expect(both.get('Message')).toMatch(/^Conflicting query string parameters: (acl, policy|policy, acl)$/)
    const part = (await service.ask(`PUT /${bucket}/k?partNumber=1`, { body: 'x' })).xml()
    expect([part.get('ArgumentName'), part.get('ArgumentValue')]).toEqual(['partNumber', '1'])
  })

  it.each(['someday', 'someday=1', 'Acl', 'restore=1'])('?%s on a write is not implemented', async (query) => {
    expect(refusal(await service.ask(`PUT /${bucket}/k?${query}`, { body: 'x' }))).toEqual([501, 'NotImplemented'])
  })
})

describe('the S3 Control API', () => {
  let service: TestService
  beforeAll(async () => {
    service = await openTestService()
  })
  afterAll(() => service.stop())

  it.each([
    'GET /v20180820/tags/arn%3Aaws%3As3%3A%3A%3Abucket',
    'POST /v20180820/tags/arn%3Aaws%3As3%3A%3A%3Abucket',
    'DELETE /v20180820/tags/arn%3Aaws%3As3%3A%3A%3Abucket?tagKeys=a',
    'PUT /v20180820/configuration/publicAccessBlock',
    'GET /v20180820/bucket/bucket/lifecycleconfiguration',
    'GET /%7620180820/accesspoint',
    'GET /v20180820',
    'PUT /v20180820',
    'GET /v20180820/',
  ])('is not there: %s', async (line) => {
    for (const as of ['root', 'nobody']) {
      const answer = await service.ask(line, { as, headers: { 'x-amz-account-id': '123456789012' } })
      expect(refusal(answer), as).toEqual([405, 'MethodNotAllowed'])
      expect(answer.headers['allow']).toBe('')
    }
  })

  it('is found by its header where the host names the account, as a key is without it', async () => {
    const host = `123456789012.localhost:${service.server.port}`
    expectStatus(await service.ask('PUT /123456789012'), 200)
    const line = 'GET /v20180820/tags/a'
    expectStatus(await service.ask('PUT /123456789012/v20180820/tags/a', { body: 'x' }), 200)
    const withHost = (headers: Readonly<Record<string, string>>) => call({ ...service.server, host }, line, { headers })
    expect(refusal(await withHost({ 'x-amz-account-id': '123456789012' }))).toEqual([405, 'MethodNotAllowed'])
    expectStatus(await withHost({}), 200)
  })
})

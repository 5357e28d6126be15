/** What a request contains is understood by its exact name, or refused: nothing is accepted and dropped. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectStatus, openTestService, refusal, type TestService } from '../support/test-service.ts'
import { waysToWrite } from './ways-to-write.ts'

const unknown = [
  'x-amz-object-lock-event-hold',
  'x-amz-object-lock-event-hold-duration-days',
  'x-amz-object-lock-event-hold-duration-years',
  'x-amz-object-lock-foo',
  'x-amz-grant-junk',
  'x-amz-server-side-encryption-junk',
  'x-amz-server-side-encryption-customer-junk',
  'x-amz-copy-source-if-junk',
  'x-amz-copy-source-junk',
  'x-amz-checksum-junk',
  'x-amz-tagging-junk',
  'x-amz-write-offset-bytes',
  'x-amz-junk',
]

describe('a request', () => {
  let service: TestService
  let bucket: string
  beforeAll(async () => {
    service = await openTestService()
    bucket = await service.bucket()
    await service.put(`/${bucket}/source`)
  })
  afterAll(() => service.stop())

  it.each(waysToWrite)('%s refuses a header that it does not know, in both spellings', async (_name, write) => {
    for (const header of unknown) {
      for (const spelled of [header, header.replace('x-amz-', 'x-svc-')]) {
        const answer = await write(service, bucket, spelled, 'ON')
        expect(answer, spelled).toEqual({ status: 501, code: 'NotImplemented' })
      }
    }
    expectStatus(await service.ask(`HEAD /${bucket}/k`), 404)
  })

  it.each(waysToWrite)('%s accepts any user metadata', async (_name, write) => {
    const { status } = await write(service, bucket, 'x-amz-meta-object-lock-event-hold', 'ON')
    expect([200, 204]).toContain(status)
    await service.ask(`DELETE /${bucket}/k`)
  })

  it('refuses headers on other operations too', async () => {
    for (const line of [`GET /${bucket}/source`, `DELETE /${bucket}/source`, `GET /${bucket}`, `GET /${bucket}?acl`]) {
      const answer = await service.ask(line, { headers: { 'x-amz-object-lock-event-hold': 'ON' } })
      expect(refusal(answer), line).toEqual([501, 'NotImplemented'])
    }
    expectStatus(await service.ask(`HEAD /${bucket}/source`), 200)
  })

  it('creates a bucket in no namespace but its own', async () => {
    const create = (name: string, namespace?: string) =>
      service.ask(`PUT /${name}`, namespace === undefined ? {} : { headers: { 'x-amz-bucket-namespace': namespace } })
    expect(refusal(await create('spaced', 'account-regional'))).toEqual([501, 'NotImplemented'])
    expect(refusal(await create('spaced-123456789012-eu-an', 'account-regional'))).toEqual([501, 'NotImplemented'])
    expect(refusal(await create('spaced-123456789012-eu-an'))).toEqual([400, 'InvalidBucketName'])
    expect(refusal(await create('ends-an'))).toEqual([400, 'InvalidBucketName'])
    expectStatus(await create('spaced', 'global'), 200)
    expectStatus(await create('begins-an-ends'), 200)
  })

  it.each([
    ['GET', '/source?annotation=1'],
    ['GET', '/source?annotation&annotationName=a'],
    ['PUT', '/source?annotation&annotationName=a'],
    ['DELETE', '/source?annotation&annotationName=a'],
    ['GET', '?metadataAnnotationTable=1'],
    ['GET', '?annotation=1'],
    ['PUT', '?metadataAnnotationTable'],
    ['DELETE', '?metadataAnnotationTable'],
  ])('%s %s is not taken for another operation', async (method, rest) => {
    expect(refusal(await service.ask(`${method} /${bucket}${rest}`))).toEqual([501, 'NotImplemented'])
    expectStatus(await service.ask(`HEAD /${bucket}/source`), 200)
  })

  it('may name its operation, and have a parameter of its client on a read', async () => {
    for (const line of [`GET /${bucket}/source?x-id=GetObject`, `GET /${bucket}/source?cache=1`]) {
      expectStatus(await service.ask(line), 200)
    }
    expectStatus(await service.ask(`PUT /${bucket}/named?x-id=PutObject`, { body: 'x' }), 200)
  })
})

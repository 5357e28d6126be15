/** HeadBucket names the region of the bucket in refusals too: clients learn from them where to send their requests. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CallOptions } from '../support/call.ts'
import { openTestService, type TestService } from '../support/test-service.ts'

describe('the region of a bucket in answers to HeadBucket', () => {
  let service: TestService
  let bucket: string
  beforeAll(async () => {
    service = await openTestService({ dialect: 'aws' })
    bucket = await service.bucket()
    await service.put(`/${bucket}/k`)
  })
  afterAll(() => service.stop())

  const refusals: readonly (readonly [why: string, status: number, options: CallOptions])[] = [
    ['nobody may', 403, { as: 'nobody' }],
    ['the requester may not', 403, { as: 'bob' }],
    ['the signature is for another region', 400, { region: 'ap-south-1' }],
    ['the clock of the client is wrong', 403, { clockAheadMs: 3_600_000 }],
    ['the bucket has another owner', 403, { headers: { 'x-amz-expected-bucket-owner': '1'.repeat(12) } }],
  ]

  it.each(refusals)('is there when %s', async (_why, status, options) => {
    const answer = await service.ask(`HEAD /${bucket}`, options)
    expect([answer.status, answer.headers['x-amz-bucket-region']]).toEqual([status, 'us-east-1'])
    expect(answer.body.length).toBe(0)
  })

  it('is there when the request is granted, and not for a bucket that is not there', async () => {
    const region = async (line: string, options: CallOptions = {}) => {
      const { status, headers } = await service.ask(line, options)
      return [status, headers['x-amz-bucket-region']]
    }
    expect(await region(`HEAD /${bucket}`)).toEqual([200, 'us-east-1'])
    expect(await region('HEAD /none-such')).toEqual([404, undefined])
    expect(await region('HEAD /none-such', { region: 'ap-south-1' })).toEqual([400, undefined])
    expect(await region(`HEAD /${bucket}/k`, { as: 'bob' })).toEqual([403, undefined])
  })
})

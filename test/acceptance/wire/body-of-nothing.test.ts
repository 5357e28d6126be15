/** A body that an operation does not read is refused: nobody would compare its digests, and the client means something by it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '#http/operations/table'
import { expectStatus, openTestService, refusal, type TestService } from '../support/test-service.ts'

const writes: Readonly<Record<string, readonly [string, Readonly<Record<string, string>>?]>> = {
  AbortMultipartUpload: ['DELETE /BUCKET/k?uploadId=none'],
  CopyObject: ['PUT /BUCKET/copy', { 'x-amz-copy-source': 'BUCKET/k' }],
  CreateMultipartUpload: ['POST /BUCKET/k?uploads'],
  DeleteBucket: ['DELETE /BUCKET'],
  DeleteBucketCors: ['DELETE /BUCKET?cors'],
  DeleteBucketEncryption: ['DELETE /BUCKET?encryption'],
  DeleteBucketLifecycle: ['DELETE /BUCKET?lifecycle'],
  DeleteBucketOwnershipControls: ['DELETE /BUCKET?ownershipControls'],
  DeleteBucketPolicy: ['DELETE /BUCKET?policy'],
  DeleteBucketTagging: ['DELETE /BUCKET?tagging'],
  DeleteBucketWebsite: ['DELETE /BUCKET?website'],
  DeleteObject: ['DELETE /BUCKET/k'],
  DeleteObjectTagging: ['DELETE /BUCKET/k?tagging'],
  DeletePublicAccessBlock: ['DELETE /BUCKET?publicAccessBlock'],
  UploadPartCopy: ['PUT /BUCKET/k?partNumber=1&uploadId=none', { 'x-amz-copy-source': 'BUCKET/k' }],
}

describe('a write that reads no body', () => {
  let service: TestService
  let bucket: string
  beforeAll(async () => {
    service = await openTestService()
    bucket = await service.bucket()
    await service.put(`/${bucket}/k`)
  })
  afterAll(() => service.stop())

  it('is one of these', () => {
    const names = operations.flatMap((row) =>
      row.handler === undefined || row.body !== undefined || /^(?:GET|HEAD)$/.test(row.method) || 'form' in row
        ? []
        : [row.name],
    )
    expect(names.sort()).toEqual(Object.keys(writes).sort())
  })

  it.each(Object.entries(writes))('%s refuses one', async (_, [request, given = {}]) => {
    const named = (text: string) => text.replace('BUCKET', bucket)
    const headers = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, named(value)]))
    for (const body of ['x', '<Tagging/>']) {
      const refused = await service.ask(named(request), { headers, body })
      expect(refusal(refused)).toEqual([400, 'InvalidRequest'])
    }
    expectStatus(await service.ask(`HEAD /${bucket}/k`), 200)
    expectStatus(await service.ask(`HEAD /${bucket}/copy`), 404)
  })
})

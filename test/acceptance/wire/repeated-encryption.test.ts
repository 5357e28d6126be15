/** Clients that set encryption headers on every request of an upload: the same ones are accepted, others are refused. */
import { randomBytes } from 'node:crypto'
import { createKeyring } from 'varve'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectStatus, openTestService, refusal, type TestService } from '../support/test-service.ts'

const header = 'x-amz-server-side-encryption'
const complete = (etag: string) =>
  `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${etag}</ETag></Part></CompleteMultipartUpload>`

let service: TestService
let bucket: string
beforeAll(async () => {
  const key = () => randomBytes(32).toString('base64')
  service = await openTestService({
    store: { keyring: createKeyring({ master: [key()], keys: { payroll: [key()] } }) },
  })
  bucket = await service.bucket()
})
afterAll(() => service.stop())

const requested = { [header]: 'aws:kms', [`${header}-aws-kms-key-id`]: 'payroll' }

async function begun(headers: Readonly<Record<string, string>>): Promise<string> {
  const answer = expectStatus(await service.ask(`POST /${bucket}/k?uploads`, { headers }), 200)
  return String(answer.xml().get('UploadId'))
}

describe('the encryption of an upload', () => {
  it('is refused in a part and in the completion if it is not that of the upload', async () => {
    const uploadId = await begun(requested)
    const other = { headers: { [header]: 'AES256' } }
    const part = await service.ask(`PUT /${bucket}/k?partNumber=1&uploadId=${uploadId}`, { ...other, body: 'x' })
    expect(refusal(part)).toEqual([400, 'InvalidArgument'])
    const kept = expectStatus(
      await service.ask(`PUT /${bucket}/k?partNumber=1&uploadId=${uploadId}`, { body: 'x' }),
      200,
    )
    const body = complete(String(kept.headers['etag']))
    expect(refusal(await service.ask(`POST /${bucket}/k?uploadId=${uploadId}`, { ...other, body }))).toEqual([
      400,
      'InvalidArgument',
    ])
    expectStatus(await service.ask(`POST /${bucket}/k?uploadId=${uploadId}`, { body }), 200)
  })

  it('may be repeated in a part and in the completion', async () => {
    const uploadId = await begun(requested)
    const same = { headers: requested }
    const part = await service.ask(`PUT /${bucket}/k?partNumber=1&uploadId=${uploadId}`, { ...same, body: 'x' })
    const body = complete(String(expectStatus(part, 200).headers['etag']))
    expectStatus(await service.ask(`POST /${bucket}/k?uploadId=${uploadId}`, { ...same, body }), 200)
  })
})

import { StorageError } from '@varve/core'
import type { CompletedPart, CompleteOptions, PutResult } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { dialects } from '../contract/dialect.ts'
import { isS3Error } from '../errors/errors.ts'
import type { HttpErrorCode } from '../errors/errors.ts'
import { objectContext } from '../objects/object-context.fixture.ts'
import type { RequestSketch } from '../objects/object-context.fixture.ts'
import { completeMultipartUpload } from './complete-multipart-upload.ts'

const made: PutResult = { seq: 1, lastModified: new Date(0), versionId: 'v', etag: 'abc-1', size: 1 }
const onePart =
  '<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>"e"</ETag></Part></CompleteMultipartUpload>'

function request(xml: string, more: RequestSketch = {}, complete: () => Promise<PutResult> = async () => made) {
  const requested: { parts: readonly CompletedPart[]; options: CompleteOptions }[] = []
  const uploads = {
    head: async () => ({ encryption: { mode: 'aws:kms', keyName: 'payroll', bucketKey: false } }),
    complete: (_upload: unknown, parts: readonly CompletedPart[], options: CompleteOptions) => {
      requested.push({ parts, options })
      return complete()
    },
  }
  const body = {
    length: xml.length,
    isLong: false,
    checks: () => ({}),
    stream: async function* () {},
    small: async () => Buffer.from(xml),
  }
  return { requested, context: objectContext({ query: 'uploadId=u', body, ...more, store: { uploads } }) }
}

async function answerTo({ context }: ReturnType<typeof request>) {
  const result = await completeMultipartUpload(context)
  return 'slow' in result ? result.slow : result
}

const refusedWith = (code: HttpErrorCode, details: object = {}) =>
  expect.toSatisfy((error: unknown) => {
    if (!isS3Error(error, code)) return false
    expect(error.details).toMatchObject(details)
    return true
  })

describe('CompleteMultipartUpload', () => {
  it('gives the location of the object, with its key percent-encoded', async () => {
    const { status, headers, body } = await answerTo(request(onePart, { key: 'a b/ä&%' }))
    expect([status, headers]).toEqual([200, { 'content-type': 'application/xml', 'x-amz-version-id': 'v' }])
    expect(body).toContain('<Location>http://host/b/a%20b/%C3%A4%26%25</Location>')
    expect(body).toContain('<Key>a b/ä&amp;%</Key>')
    expect(body).toContain('<ETag>&quot;abc-1&quot;</ETag>')
  })

  it.each([
    [{ 'x-amz-server-side-encryption': 'aws:kms' }, true],
    [{ 'x-amz-server-side-encryption': 'aws:kms', 'x-amz-server-side-encryption-aws-kms-key-id': 'payroll' }, true],
    [{ 'x-amz-server-side-encryption-bucket-key-enabled': 'false' }, true],
    [{ 'x-amz-server-side-encryption': 'AES256' }, false],
    [{ 'x-amz-server-side-encryption': 'payroll' }, false],
    [{ 'x-amz-server-side-encryption-aws-kms-key-id': 'other' }, false],
    [{ 'x-amz-server-side-encryption-bucket-key-enabled': 'true' }, false],
  ])('accepts the encryption of the upload again, and no other: %j', async (headers, accepted) => {
    const sent = request(onePart, { headers })
    if (accepted) expect(await answerTo(sent)).toMatchObject({ status: 200 })
    else await expect(answerTo(sent)).rejects.toThrow(refusedWith('InvalidArgument'))
    expect(sent.requested).toHaveLength(accepted ? 1 : 0)
  })

  it('hands parts on without quotes, with the checksum they were listed with', async () => {
    const xml = onePart.replace('</ETag>', '</ETag><ChecksumSHA1>x</ChecksumSHA1>')
    const sent = request(xml, { headers: { 'x-amz-mp-object-size': '7', 'if-none-match': '*' } })
    await answerTo(sent)
    expect(sent.requested).toMatchObject([
      {
        parts: [{ partNumber: 1, etag: 'e', checksum: { algorithm: 'SHA1', value: 'x' } }],
        options: { size: 7, ifNoneMatch: '*', repeatable: false },
      },
    ])
  })

  it('may be repeated in dialect aws', async () => {
    const sent = request(onePart, { dialect: dialects.aws })
    await answerTo(sent)
    expect(sent.requested[0]?.options.repeatable).toBe(true)
  })

  it.each([
    ['', 'InvalidRequest'],
    ['<CompleteMultipartUpload/>', 'MalformedXML'],
    ['<CompleteMultipartUpload', 'MalformedXML'],
    [
      onePart.replace('</ETag>', '</ETag><ChecksumSHA1>x</ChecksumSHA1><ChecksumCRC32>x</ChecksumCRC32>'),
      'InvalidRequest',
    ],
  ] as const)('refuses %j at once, not late', async (xml, code) => {
    const { requested, context } = request(xml)
    await expect(completeMultipartUpload(context)).rejects.toThrow(refusedWith(code))
    expect(requested).toEqual([])
  })

  it.each(['application/x-www-form-urlencoded', 'Application/X-WWW-Form-Urlencoded; charset=utf-8'])(
    'takes %s in dialect aws only',
    async (type) => {
      const headers = { 'content-type': type }
      await expect(answerTo(request(onePart, { headers }))).rejects.toThrow(refusedWith('InvalidRequest'))
      expect((await answerTo(request(onePart, { headers, dialect: dialects.aws }))).status).toBe(200)
    },
  )

  it.each(['x', '-1', '1e3', '', '1.0'])('refuses the size %j', async (size) => {
    const sent = request(onePart, { headers: { 'x-amz-mp-object-size': size } })
    await expect(answerTo(sent)).rejects.toThrow(refusedWith('InvalidRequest'))
  })

  it('names the upload a part is missing from', async () => {
    const error = new StorageError('InvalidPart', 'why', { details: { PartNumber: 1, ETag: 'e' } })
    const sent = request(onePart, {}, () => Promise.reject(error))
    const details = { UploadId: 'u', PartNumber: '1', ETag: 'e' }
    await expect(answerTo(sent)).rejects.toThrow(refusedWith('InvalidPart', details))
  })
})

describe('a part number listed twice in a row', () => {
  const part = (etag: string) => `<Part><PartNumber>1</PartNumber><ETag>${etag}</ETag></Part>`
  const twice = `<CompleteMultipartUpload>${part('first')}${part('last')}</CompleteMultipartUpload>`

  it('counts by its last entry in the aws dialect, and is left to be out of order in the neutral one', async () => {
    const aws = request(twice, { dialect: dialects.aws })
    await answerTo(aws)
    expect(aws.requested[0]?.parts).toEqual([{ partNumber: 1, etag: 'last' }])
    const neutral = request(twice, { dialect: dialects.neutral })
    await answerTo(neutral)
    expect(neutral.requested[0]?.parts).toHaveLength(2)
  })

  it.each(['aws', 'neutral'] as const)('is left to be out of order if it is the same part, in %s', async (dialect) => {
    const again = `<CompleteMultipartUpload>${part('one')}${part('one')}</CompleteMultipartUpload>`
    const sent = request(again, { dialect: dialects[dialect] })
    await answerTo(sent)
    expect(sent.requested[0]?.parts).toHaveLength(2)
  })
})

/** What an error of S3 quotes of a request is bounded, whichever operation it is of, and wherever the long text is. */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '#http/operations/table'
import type { OperationRow } from '#http/contract/operation'
import type { Answer, CallOptions } from '../acceptance/support/call.ts'
import { requestOf } from '../acceptance/support/row-request.ts'
import { expectStatus, openTestService, type TestService } from '../acceptance/support/test-service.ts'
import { deletion } from '../attacks/documents.ts'

/** Of these every character is written as six. */
const long = '"'.repeat(5000)
const inUrl = encodeURIComponent(long)
/** The resource, of 4,096 characters, and some quotes of 1,100. */
const answerMax = 40 * 1024

const forged = `AWS4-HMAC-SHA256 Credential=${'<'.repeat(3000)}/20130524/eu/s3/aws4_request, SignedHeaders=host, Signature=${'<'.repeat(3000)}`

const md5 = (body: string | Uint8Array): string => createHash('md5').update(body).digest('base64')

interface LongRequest {
  readonly place: string
  readonly line: string
  readonly options: CallOptions
}

/** Requests of the operation, each with the long text in another place. */
function requestsOf(row: OperationRow, bucket: string): readonly LongRequest[] {
  const [line, { headers = {} }] = requestOf(row, bucket)
  const target = line.split(' ')[1] ?? ''
  const below = target.slice(`/${bucket}`.length)
  const request = (place: string, at: string, options: CallOptions = {}): LongRequest => ({
    place,
    line: `${row.method} ${at}`,
    options: { ...options, headers: { ...headers, ...options.headers } },
  })
  const understood = 'understands' in row ? (row.understands ?? []) : []
  const named = [...Object.keys(headers), ...understood, 'range', 'x-amz-expected-bucket-owner']
  const taken = 'body' in row && row.body !== undefined ? bodies : []
  return [
    request('bucket', `/${inUrl}${below}`),
    ...(row.level === 'object' ? [request('key', target.replace(/\/k(?=$|\?)/, `/${inUrl}`))] : []),
    ...parametersOf(row, target).map((at) => request(`parameter ${at.slice(0, 80)}`, at)),
    ...named.map((name) => request(`header ${name}`, target, { headers: { [name]: long } })),
    ...taken.map((body) =>
      request(`body ${body.slice(0, 20)}`, target, { body, headers: { 'content-md5': md5(body) } }),
    ),
  ]
}

/** The target with the long value in each of the parameters of the operation, and in one that nobody knows. */
function parametersOf({ params = [] }: OperationRow, target: string): readonly string[] {
  const [path = '', query = ''] = target.split('?')
  const parameters = query.split('&').filter((one) => one !== '')
  const names = [...parameters, ...params].map((one) => one.split('=', 1)[0] ?? '')
  const withLong = (name: string) => [...parameters.filter((one) => one.split('=', 1)[0] !== name), `${name}=${inUrl}`]
  const queries = [...names.map(withLong), [...parameters, `${inUrl}=1`]]
  return queries.map((one) => `${path}?${one.join('&')}`)
}

const bodies = [
  `<${'n'.repeat(100_000)}/>`,
  `<A>${long}</A>`,
  JSON.stringify({ Statement: [{ Sid: long, [long]: long }] }),
]

describe('a long text in a request of S3', () => {
  let service: TestService
  let bucket: string
  beforeAll(async () => {
    service = await openTestService()
    bucket = await service.bucket()
    await service.put(`/${bucket}/k`)
  })
  afterAll(() => service.stop())

  const expectBounded = (answer: Answer, place: string): void => {
    expect(answer.status === 501 || answer.status < 500, `${place}: ${answer.text.slice(0, 2000)}`).toBe(true)
    expect(answer.body.length, `${place}: ${answer.text.slice(0, 2000)}`).toBeLessThan(answerMax)
  }

  const rows = operations.filter(({ level }) => level !== 'service').map((row) => [row.name, row] as const)
  it.each(rows)('is quoted in part by %s', async (_name, row) => {
    for (const { place, line, options } of requestsOf(row, bucket)) {
      expectBounded(await service.ask(line, options), place)
    }
  })

  it.each([
    ['PUT', 'tagging', `<Tagging><TagSet><Tag><Key>LONG</Key><Value>v</Value></Tag></TagSet></Tagging>`],
    ['PUT', 'tagging', `<Tagging><TagSet><Tag><Key>k</Key><Value>LONG</Value></Tag></TagSet></Tagging>`],
    ['PUT', 'versioning', '<VersioningConfiguration><Status>LONG</Status></VersioningConfiguration>'],
    [
      'PUT',
      'website',
      '<WebsiteConfiguration><IndexDocument><Suffix>LONG/</Suffix></IndexDocument></WebsiteConfiguration>',
    ],
    [
      'PUT',
      'cors',
      '<CORSConfiguration><CORSRule><AllowedOrigin>*</AllowedOrigin><AllowedMethod>LONG</AllowedMethod></CORSRule></CORSConfiguration>',
    ],
    [
      'PUT',
      'cors',
      '<CORSConfiguration><CORSRule><AllowedOrigin>**LONG</AllowedOrigin><AllowedMethod>GET</AllowedMethod></CORSRule></CORSConfiguration>',
    ],
    [
      'PUT',
      'lifecycle',
      '<LifecycleConfiguration><Rule><ID>LONG</ID><Status>Enabled</Status><Prefix/><Expiration><Days>1</Days></Expiration></Rule></LifecycleConfiguration>',
    ],
    [
      'PUT',
      'lifecycle',
      '<LifecycleConfiguration><Rule><Status>LONG</Status><Prefix/><Expiration><Days>1</Days></Expiration></Rule></LifecycleConfiguration>',
    ],
    [
      'PUT',
      'lifecycle',
      '<LifecycleConfiguration><Rule><Status>Enabled</Status><Prefix>LONG</Prefix><Expiration><Days>1</Days></Expiration></Rule></LifecycleConfiguration>',
    ],
    ['PUT', 'policy', '{"Version":"LONG","Statement":[]}'],
    [
      'PUT',
      'policy',
      '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":"LONG","Resource":"*"}]}',
    ],
    [
      'PUT',
      'policy',
      '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"LONG":"*"},"Action":"s3:*","Resource":"LONG"}]}',
    ],
    ['PUT', 'acl', '<AccessControlPolicy><Owner><ID>LONG</ID></Owner><AccessControlList/></AccessControlPolicy>'],
    [
      'PUT',
      'ownershipControls',
      '<OwnershipControls><Rule><ObjectOwnership>LONG</ObjectOwnership></Rule></OwnershipControls>',
    ],
    [
      'PUT',
      'encryption',
      '<ServerSideEncryptionConfiguration><Rule><ApplyServerSideEncryptionByDefault><SSEAlgorithm>LONG</SSEAlgorithm></ApplyServerSideEncryptionByDefault></Rule></ServerSideEncryptionConfiguration>',
    ],
    [
      'PUT',
      'notification',
      '<NotificationConfiguration><QueueConfiguration><Queue>LONG</Queue><Event>LONG</Event></QueueConfiguration></NotificationConfiguration>',
    ],
    [
      'PUT',
      'logging',
      '<BucketLoggingStatus><LoggingEnabled><TargetBucket>LONG</TargetBucket><TargetPrefix/></LoggingEnabled></BucketLoggingStatus>',
    ],
  ])('is quoted in part of a document: %s ?%s %s', async (method, parameter, document) => {
    const isJson = document.startsWith('{')
    const body = document.replaceAll('LONG', isJson ? '<'.repeat(5000) : long)
    const answer = await service.ask(`${method} /${bucket}?${parameter}`, {
      body,
      headers: { 'content-md5': md5(body) },
    })
    expectBounded(answer, document)
    expect([4, 5]).toContain(Math.floor(answer.status / 100))
  })

  it('makes no answer of DeleteObjects longer than its request', async () => {
    const body = deletion(1000, 8000, '"')
    const headers = { 'content-md5': md5(body) }
    for (const as of ['bob', 'root']) {
      const answer = expectStatus(await service.ask(`POST /${bucket}?delete`, { as, body, headers }), 200)
      expect(answer.text).toContain('KeyTooLongError')
      expect(answer.body.length).toBeLessThan(body.length)
    }
  })

  it('leaves keys whole that can exist, because clients find their results by them', async () => {
    const keys = ['k'.repeat(1024), 'é'.repeat(512), '"'.repeat(1024)]
    const listed = keys.map((key) => `<Object><Key>${key}</Key></Object>`).join('')
    const body = `<Delete>${listed}</Delete>`
    const options = { as: 'bob', body, headers: { 'content-md5': md5(body) } }
    const errors = expectStatus(await service.ask(`POST /${bucket}?delete`, options), 200)
      .xml()
      .all('Error')
    expect(errors.map((error) => [error.get('Key'), error.get('Code')])).toEqual(
      keys.map((key) => [key, 'AccessDenied']),
    )
    const missing = (await service.ask(`GET /${bucket}/${keys[0]}`)).xml()
    expect([missing.get('Key'), missing.get('Resource')]).toEqual([keys[0], `/${bucket}/${keys[0]}`])
  })

  it('is shown as far as people compare it, where a signature does not match', async () => {
    const headers = { authorization: forged, 'x-amz-meta-a': '<'.repeat(6000), 'x-amz-date': '20130524T000000Z' }
    const answer = await service.ask(`GET /${bucket}/k`, { as: 'nobody', headers })
    expectBounded(answer, 'a signature')
    const url = `GET /${bucket}/k?AWSAccessKeyId=${inUrl}&Signature=${inUrl}&Expires=99999999999`
    expectBounded(await service.ask(url, { as: 'nobody' }), 'a signature in a URL')
  })
})

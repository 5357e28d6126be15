/** The recorded answers of S3 on buckets, deletes of many objects, copies, errors and signers. */
import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { presign } from 'varve/http'
import { type TestService, expectStatus, refusal } from '../support/test-service.ts'
import { errorOf, recorded } from '../support/recorded.ts'
import { exchange, requestText } from '../support/wire.ts'

const regionOf = (dialect: string) => (dialect === 'aws' ? 'us-east-1' : 'eu')

const deleteMany = async (service: TestService, bucket: string, inner: string) => {
  const body = `<Delete>${inner}</Delete>`
  const headers = { 'content-md5': createHash('md5').update(body).digest('base64') }
  return expectStatus(await service.ask(`POST /${bucket}?delete`, { body, headers }), 200).xml()
}

recorded('deleting many', [
  [
    'a malformed id and one of another key are NoSuchVersion of their key',
    async (service) => {
      const bucket = await service.bucket({ versioning: 'Enabled' })
      const { versionId = '' } = await service.put(`/${bucket}/other`)
      const named = ['nonsense', versionId].map((id) => `<Object><Key>k</Key><VersionId>${id}</VersionId></Object>`)
      const errors = (await deleteMany(service, bucket, named.join(''))).all('Error')
      expect(errors.map((error) => error.children.map(({ name, text }) => [name, text]))).toEqual(
        ['nonsense'].map((id) => [
          ['Key', 'k'],
          ['VersionId', id],
          ['Code', 'NoSuchVersion'],
          ['Message', 'The specified version does not exist.'],
        ]),
      )
    },
  ],
  [
    'a key is not decoded as a URL: a percent sign in it is a percent sign',
    async (service) => {
      const bucket = await service.bucket()
      for (const key of ['a%252Fb', 'a/b']) await service.put(`/${bucket}/${key}`)
      const deleted = (await deleteMany(service, bucket, '<Object><Key>a%2Fb</Key></Object>')).all('Deleted')
      expect(deleted.map((one) => one.get('Key'))).toEqual(['a%2Fb'])
      expect((await service.list(bucket)).all('Version').map((one) => one.get('Key'))).toEqual(['a/b'])
    },
  ],
  [
    'a marker that is made is reported by its id, and one that is removed by both',
    async (service) => {
      const bucket = await service.bucket({ versioning: 'Enabled' })
      const made = (await deleteMany(service, bucket, '<Object><Key>k</Key></Object>')).all('Deleted')[0]
      const id = made?.get('DeleteMarkerVersionId') ?? ''
      expect([made?.get('Key'), made?.get('DeleteMarker'), made?.get('VersionId')]).toEqual(['k', 'true', undefined])
      const inner = `<Object><Key>k</Key><VersionId>${id}</VersionId></Object>`
      const removed = (await deleteMany(service, bucket, inner)).all('Deleted')[0]
      const names = ['Key', 'VersionId', 'DeleteMarker', 'DeleteMarkerVersionId']
      expect(names.map((name) => removed?.get(name))).toEqual(['k', id, 'true', id])
    },
  ],
])

recorded('buckets', [
  [
    'a name that S3 refuses is refused, and named',
    async (service) => {
      const names = ['ab', 'a'.repeat(64), 'Upper', 'a_b', '-ab', 'ab-', '.ab', 'ab.', 'a..b', 'a.-b', 'a-.b']
      const reserved = [
        '192.168.5.4',
        'xn--abc',
        'sthree-abc',
        'abc-s3alias',
        'abc--ol-s3',
        'abc.mrap',
        'abc--x-s3',
        'abc-an',
      ]
      for (const name of [...names, ...reserved]) {
        expect(errorOf(await service.ask(`PUT /${name}`)), name).toEqual({
          status: 400,
          Code: 'InvalidBucketName',
          Message: expect.stringMatching(/^The specified bucket is not valid\./),
          BucketName: name,
        })
      }
      for (const name of ['abc', 'a'.repeat(63), 'a.b-c.d', '0ab', '1.2.3'])
        expectStatus(await service.ask(`PUT /${name}`), 200)
    },
  ],
  [
    'a bucket of another account is BucketAlreadyExists; one’s own is answered by the dialect',
    async (service, dialect) => {
      const bucket = await service.bucket({ as: 'ann' })
      expect(refusal(await service.ask(`PUT /${bucket}`, { as: 'bob' }))).toEqual([409, 'BucketAlreadyExists'])
      const again = await service.ask(`PUT /${bucket}`, { as: 'ann' })
      if (dialect === 'aws') expect([again.status, again.headers['location']]).toEqual([200, `/${bucket}`])
      else expect(refusal(again)).toEqual([409, 'BucketAlreadyExists'])
    },
  ],
  [
    'one’s own bucket in a region with a name is refused, with its name',
    async (service, dialect) => {
      const bucket = service.name()
      const region = dialect === 'aws' ? 'us-west-1' : 'eu'
      const body = `<CreateBucketConfiguration><LocationConstraint>${region}</LocationConstraint></CreateBucketConfiguration>`
      const create = async () => service.ask(`PUT /${bucket}`, { body })
      expectStatus(await create(), 200)
      const again = errorOf(await create())
      if (dialect === 'neutral') expect(again).toMatchObject({ status: 409, Code: 'BucketAlreadyExists' })
      else
        expect(again).toEqual({
          status: 409,
          Code: 'BucketAlreadyOwnedByYou',
          Message: 'Your previous request to create the named bucket succeeded and you already own it.',
          BucketName: bucket,
        })
    },
  ],
  [
    'a bucket begins with the tags it is sent, and is not made again with tags, be they the same',
    async (service, dialect) => {
      const bucket = service.name()
      const create = async (tags = '') => {
        const body = `<CreateBucketConfiguration><Tags>${tags}</Tags></CreateBucketConfiguration>`
        return service.ask(`PUT /${bucket}`, { body })
      }
      const tag = '<Tag><Key>tag1</Key><Value>value1</Value></Tag>'
      expectStatus(await create(tag), 200)
      expect(refusal(await create(tag))).toEqual([
        409,
        dialect === 'aws' ? 'BucketAlreadyOwnedByYou' : 'BucketAlreadyExists',
      ])
      expectStatus(await create(), dialect === 'aws' ? 200 : 409)
      expect((await service.ask(`GET /${bucket}?tagging`)).text).toContain(tag)
    },
  ],
  [
    'a constraint is shown as it was sent',
    async (service, dialect) => {
      const bucket = service.name()
      const constraint = dialect === 'aws' ? 'EU' : 'eu'
      const body = `<CreateBucketConfiguration><LocationConstraint>${constraint}</LocationConstraint></CreateBucketConfiguration>`
      const made = expectStatus(await service.ask(`PUT /${bucket}`, { body }), 200)
      const host = `http://${bucket}.${service.server.host}/`
      expect(made.headers['location']).toBe(dialect === 'aws' ? host : `/${bucket}`)
      expect((await service.ask(`GET /${bucket}?location`)).xml().text).toBe(constraint)
    },
  ],
])

recorded('buckets by their ARN', [
  [
    'creating, heading and listing a bucket return its ARN',
    async (service) => {
      const bucket = service.name()
      const arn = `arn:aws:s3:::${bucket}`
      expect(expectStatus(await service.ask(`PUT /${bucket}`), 200).headers['x-amz-bucket-arn']).toBe(arn)
      expect(expectStatus(await service.ask(`HEAD /${bucket}`), 200).headers['x-amz-bucket-arn']).toBe(arn)
      expect((await service.ask(`GET /?prefix=${bucket}`)).text).toContain(`<BucketArn>${arn}</BucketArn>`)
    },
  ],
])

recorded('requests', [
  [
    'an anonymous request cannot choose headers of its answer',
    async (service) => {
      const bucket = await service.bucket()
      await service.ask(`DELETE /${bucket}?publicAccessBlock`)
      const Statement = {
        Effect: 'Allow',
        Principal: '*',
        Action: 's3:GetObject',
        Resource: `arn:aws:s3:::${bucket}/*`,
      }
      const body = JSON.stringify({ Version: '2012-10-17', Statement })
      expectStatus(await service.ask(`PUT /${bucket}?policy`, { body }), 204)
      await service.put(`/${bucket}/k`)
      const anybody = (method: string, query = '') =>
        fetch(`http://${service.server.host}/${bucket}/k${query}`, { method })
      expect((await anybody('GET')).status).toBe(200)
      for (const name of ['cache-control', 'content-type', 'expires']) {
        const answer = await anybody('GET', `?response-${name}=x`)
        expect([answer.status, await answer.text()]).toEqual([
          400,
          expect.stringContaining(
            '<Code>InvalidRequest</Code><Message>Request specific response headers cannot be used for anonymous GET requests.</Message>',
          ),
        ])
      }
      expect((await anybody('HEAD', '?response-content-type=x')).status).toBe(400)
      expectStatus(await service.ask(`GET /${bucket}/k?response-content-type=x`), 200)
    },
  ],
  [
    'a redirect that leads nowhere is named as one',
    async (service) => {
      const headers = { 'x-amz-website-redirect-location': 'elsewhere' }
      expect(errorOf(await service.ask(`PUT /${await service.bucket()}/k`, { headers, body: 'x' }))).toEqual({
        status: 400,
        Code: 'InvalidRedirectLocation',
        Message: "The website redirect location must have a prefix of 'http://' or 'https://' or '/'.",
      })
    },
  ],
  [
    'what is locked from its first moment comes with a checksum or an MD5',
    async (service) => {
      const bucket = service.name()
      expectStatus(
        await service.ask(`PUT /${bucket}`, { headers: { 'x-amz-bucket-object-lock-enabled': 'true' } }),
        200,
      )
      const put = async (headers: Readonly<Record<string, string>>) =>
        service.ask(`PUT /${bucket}/k`, { headers: { 'x-amz-object-lock-legal-hold': 'ON', ...headers }, body: 'x' })
      expect(errorOf(await put({}))).toEqual({
        status: 400,
        Code: 'InvalidRequest',
        Message:
          'Content-MD5 OR x-amz-checksum- HTTP header is required for Put Object requests with Object Lock parameters',
      })
      expectStatus(await put({ 'content-md5': createHash('md5').update('x').digest('base64') }), 200)
      expectStatus(await put({ 'x-amz-checksum-sha256': createHash('sha256').update('x').digest('base64') }), 200)
    },
  ],
  [
    'a copy onto itself that changes nothing is illegal',
    async (service) => {
      const bucket = await service.bucket()
      await service.put(`/${bucket}/k`)
      const answer = await service.ask(`PUT /${bucket}/k`, { headers: { 'x-amz-copy-source': `${bucket}/k` } })
      expect(errorOf(answer)).toEqual({
        status: 400,
        Code: 'InvalidRequest',
        Message:
          "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.",
      })
    },
  ],
  [
    'an older version copied onto its own key is current again',
    async (service) => {
      const bucket = await service.bucket({ versioning: 'Enabled' })
      const { versionId } = await service.put(`/${bucket}/k`, 'old')
      await service.put(`/${bucket}/k`, 'new')
      const headers = { 'x-amz-copy-source': `${bucket}/k?versionId=${versionId}` }
      expectStatus(await service.ask(`PUT /${bucket}/k`, { headers }), 200)
      expect((await service.ask(`GET /${bucket}/k`)).text).toBe('old')
    },
  ],
  [
    'an error has its request id in its document and its headers',
    async (service) => {
      const answer = await service.ask(`GET /${await service.bucket()}/k`)
      const root = answer.xml()
      for (const name of ['Code', 'Message', 'Key', 'RequestId', 'HostId']) expect(root.get(name), name).toMatch(/\S/)
      expect(answer.headers['x-amz-request-id']).toBe(root.get('RequestId'))
    },
  ],
  [
    'a control character in a key is written as a reference, and safely when encoded for a URL',
    async (service) => {
      const bucket = await service.bucket()
      for (const key of ['a%01', 'a%0D']) await service.put(`/${bucket}/${key}`)
      const plain = await service.ask(`GET /${bucket}?versions`)
      expect(plain.text).toContain('<Key>a&#x1;</Key>')
      expect(plain.text).toMatch(/<Key>a&#(13|x0?D);<\/Key>/)
      const encoded = (await service.list(bucket, 'encoding-type=url')).all('Version')
      expect(encoded.map((version) => version.get('Key'))).toEqual(['a%01', 'a%0D'])
    },
  ],
  [
    'an unknown subresource never reaches the object',
    async (service) => {
      const bucket = await service.bucket()
      await service.put(`/${bucket}/k`, 'here')
      for (const method of ['DELETE', 'PUT']) {
        expect((await service.ask(`${method} /${bucket}/k?torrents`)).status).toBeGreaterThanOrEqual(400)
      }
      expect((await service.ask(`GET /${bucket}/k`)).text).toBe('here')
    },
  ],
  [
    'a request 16 minutes from now is refused for its time, and one 14 minutes from now is not',
    async (service) => {
      const bucket = await service.bucket()
      for (const minutes of [-16, 16]) {
        const answer = await service.ask(`GET /${bucket}`, { clockAheadMs: minutes * 60_000 })
        expect(refusal(answer)).toEqual([403, 'RequestTimeTooSkewed'])
      }
      expectStatus(await service.ask(`GET /${bucket}`, { clockAheadMs: -14 * 60_000 }), 200)
    },
  ],
  [
    'a URL that has expired, lacks a parameter or comes with unsigned headers is refused as such',
    async (service, dialect) => {
      const bucket = await service.bucket()
      const { host } = service.server
      const url = (secondsAgo: number) =>
        presign(
          { method: 'GET', rawPath: `/${bucket}`, headers: [['host', host]] },
          {
            ...service.server.credentials('root'),
            region: regionOf(dialect),
            now: Date.now() - secondsAgo * 1000,
            expiresSeconds: 2,
          },
        ).rawQuery
      const get = async (query: string, headers: readonly string[] = []) =>
        errorOf(await exchange(service.server, requestText(`GET /${bucket}?${query}`, [`host: ${host}`, ...headers])))
      expect(await get(url(60))).toEqual({
        status: 403,
        Code: 'AccessDenied',
        Message: 'Request has expired',
        'X-Amz-Expires': '2',
        Expires: expect.stringMatching(/Z$/),
        ServerTime: expect.stringMatching(/Z$/),
      })
      expect(await get(url(0).replace(/&X-Amz-Signature=[^&]*/, ''))).toEqual({
        status: 400,
        Code: 'AuthorizationQueryParametersError',
        Message:
          'Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters.',
      })
      expect(await get(url(0), ['x-amz-meta-wrong: x'])).toEqual({
        status: 403,
        Code: 'AccessDenied',
        Message: 'There were headers present in the request which were not signed',
        HeadersNotSigned: 'x-amz-meta-wrong',
      })
      expect(await get(url(0).replace(/Signature=.{8}/, 'Signature=00000000'))).toMatchObject({
        status: 403,
        Code: 'SignatureDoesNotMatch',
        AWSAccessKeyId: 'AK-root',
        StringToSign: expect.stringMatching(/^AWS4-HMAC-SHA256\n/),
        CanonicalRequest: expect.stringMatching(/^GET\n/),
      })
    },
  ],
])

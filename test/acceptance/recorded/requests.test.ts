/** Buckets, deletes of many, copies, errors and who signs: what S3 was recorded to answer. */
import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { presign } from 'varve/http'
import { type Door, expectStatus, refusal } from '../support/door.ts'
import { errorOf, recorded } from '../support/recorded.ts'
import { exchange, requestText } from '../support/wire.ts'

const regionOf = (dialect: string) => (dialect === 'aws' ? 'us-east-1' : 'eu')

const deleteMany = async (door: Door, bucket: string, inner: string) => {
  const body = `<Delete>${inner}</Delete>`
  const headers = { 'content-md5': createHash('md5').update(body).digest('base64') }
  return expectStatus(await door.ask(`POST /${bucket}?delete`, { body, headers }), 200).xml()
}

recorded('deleting many', [
  [
    'an id that is none and one that is nobody’s are NoSuchVersion of their key',
    async (door) => {
      const bucket = await door.bucket({ versioning: 'Enabled' })
      const { versionId = '' } = await door.put(`/${bucket}/other`)
      const named = ['nonsense', versionId].map((id) => `<Object><Key>k</Key><VersionId>${id}</VersionId></Object>`)
      const errors = (await deleteMany(door, bucket, named.join(''))).all('Error')
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
    'a key is what the document says: a percent sign in it is a percent sign',
    async (door) => {
      const bucket = await door.bucket()
      for (const key of ['a%252Fb', 'a/b']) await door.put(`/${bucket}/${key}`)
      const deleted = (await deleteMany(door, bucket, '<Object><Key>a%2Fb</Key></Object>')).all('Deleted')
      expect(deleted.map((one) => one.get('Key'))).toEqual(['a%2Fb'])
      expect((await door.list(bucket)).all('Version').map((one) => one.get('Key'))).toEqual(['a/b'])
    },
  ],
  [
    'a marker that is made is told by its id, and one that is removed by both',
    async (door) => {
      const bucket = await door.bucket({ versioning: 'Enabled' })
      const made = (await deleteMany(door, bucket, '<Object><Key>k</Key></Object>')).all('Deleted')[0]
      const id = made?.get('DeleteMarkerVersionId') ?? ''
      expect([made?.get('Key'), made?.get('DeleteMarker'), made?.get('VersionId')]).toEqual(['k', 'true', undefined])
      const inner = `<Object><Key>k</Key><VersionId>${id}</VersionId></Object>`
      const removed = (await deleteMany(door, bucket, inner)).all('Deleted')[0]
      const names = ['Key', 'VersionId', 'DeleteMarker', 'DeleteMarkerVersionId']
      expect(names.map((name) => removed?.get(name))).toEqual(['k', id, 'true', id])
    },
  ],
])

recorded('buckets', [
  [
    'a name that S3 refuses is refused, and named',
    async (door) => {
      const names = ['ab', 'a'.repeat(64), 'Upper', 'a_b', '-ab', 'ab-', '.ab', 'ab.', 'a..b', 'a.-b', 'a-.b']
      const reserved = ['192.168.5.4', 'xn--abc', 'sthree-abc', 'abc-s3alias', 'abc--ol-s3', 'abc.mrap', 'abc--x-s3']
      for (const name of [...names, ...reserved]) {
        expect(errorOf(await door.ask(`PUT /${name}`)), name).toEqual({
          status: 400,
          Code: 'InvalidBucketName',
          Message: expect.stringMatching(/^The specified bucket is not valid\./),
          BucketName: name,
        })
      }
      for (const name of ['abc', 'a'.repeat(63), 'a.b-c.d', '0ab', '1.2.3'])
        expectStatus(await door.ask(`PUT /${name}`), 200)
    },
  ],
  [
    'a bucket of somebody else’s exists already; one’s own is one’s own, or no error, as the dialect says',
    async (door, dialect) => {
      const bucket = await door.bucket({ as: 'ann' })
      expect(refusal(await door.ask(`PUT /${bucket}`, { as: 'bob' }))).toEqual([409, 'BucketAlreadyExists'])
      const again = await door.ask(`PUT /${bucket}`, { as: 'ann' })
      if (dialect === 'aws') expect([again.status, again.headers['location']]).toEqual([200, `/${bucket}`])
      else expect(refusal(again)).toEqual([409, 'BucketAlreadyExists'])
    },
  ],
  [
    'one’s own bucket in a region with a name is refused, with its name',
    async (door, dialect) => {
      const bucket = door.name()
      const region = dialect === 'aws' ? 'us-west-1' : 'eu'
      const body = `<CreateBucketConfiguration><LocationConstraint>${region}</LocationConstraint></CreateBucketConfiguration>`
      const create = async () => door.ask(`PUT /${bucket}`, { body })
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
    async (door, dialect) => {
      const bucket = door.name()
      const create = async (tags = '') => {
        const body = `<CreateBucketConfiguration><Tags>${tags}</Tags></CreateBucketConfiguration>`
        return door.ask(`PUT /${bucket}`, { body })
      }
      const tag = '<Tag><Key>tag1</Key><Value>value1</Value></Tag>'
      expectStatus(await create(tag), 200)
      expect(refusal(await create(tag))).toEqual([
        409,
        dialect === 'aws' ? 'BucketAlreadyOwnedByYou' : 'BucketAlreadyExists',
      ])
      expectStatus(await create(), dialect === 'aws' ? 200 : 409)
      expect((await door.ask(`GET /${bucket}?tagging`)).text).toContain(tag)
    },
  ],
  [
    'a constraint is shown as it was sent',
    async (door, dialect) => {
      const bucket = door.name()
      const constraint = dialect === 'aws' ? 'EU' : 'eu'
      const body = `<CreateBucketConfiguration><LocationConstraint>${constraint}</LocationConstraint></CreateBucketConfiguration>`
      const made = expectStatus(await door.ask(`PUT /${bucket}`, { body }), 200)
      const host = `http://${bucket}.${door.server.host}/`
      expect(made.headers['location']).toBe(dialect === 'aws' ? host : `/${bucket}`)
      expect((await door.ask(`GET /${bucket}?location`)).xml().text).toBe(constraint)
    },
  ],
])

recorded('buckets by their ARN', [
  [
    'a bucket is told its ARN when it is made, asked after and listed',
    async (door) => {
      const bucket = door.name()
      const arn = `arn:aws:s3:::${bucket}`
      expect(expectStatus(await door.ask(`PUT /${bucket}`), 200).headers['x-amz-bucket-arn']).toBe(arn)
      expect(expectStatus(await door.ask(`HEAD /${bucket}`), 200).headers['x-amz-bucket-arn']).toBe(arn)
      expect((await door.ask(`GET /?prefix=${bucket}`)).text).toContain(`<BucketArn>${arn}</BucketArn>`)
    },
  ],
])

recorded('requests', [
  [
    'nobody in particular may choose headers of an answer',
    async (door) => {
      const bucket = await door.bucket()
      await door.ask(`DELETE /${bucket}?publicAccessBlock`)
      const Statement = {
        Effect: 'Allow',
        Principal: '*',
        Action: 's3:GetObject',
        Resource: `arn:aws:s3:::${bucket}/*`,
      }
      const body = JSON.stringify({ Version: '2012-10-17', Statement })
      expectStatus(await door.ask(`PUT /${bucket}?policy`, { body }), 204)
      await door.put(`/${bucket}/k`)
      const anybody = (method: string, query = '') =>
        fetch(`http://${door.server.host}/${bucket}/k${query}`, { method })
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
      expectStatus(await door.ask(`GET /${bucket}/k?response-content-type=x`), 200)
    },
  ],
  [
    'a redirect that leads nowhere is named as one',
    async (door) => {
      const headers = { 'x-amz-website-redirect-location': 'elsewhere' }
      expect(errorOf(await door.ask(`PUT /${await door.bucket()}/k`, { headers, body: 'x' }))).toEqual({
        status: 400,
        Code: 'InvalidRedirectLocation',
        Message: "The website redirect location must have a prefix of 'http://' or 'https://' or '/'.",
      })
    },
  ],
  [
    'what is locked from its first moment comes with a checksum or an MD5',
    async (door) => {
      const bucket = door.name()
      expectStatus(await door.ask(`PUT /${bucket}`, { headers: { 'x-amz-bucket-object-lock-enabled': 'true' } }), 200)
      const put = async (headers: Readonly<Record<string, string>>) =>
        door.ask(`PUT /${bucket}/k`, { headers: { 'x-amz-object-lock-legal-hold': 'ON', ...headers }, body: 'x' })
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
    async (door) => {
      const bucket = await door.bucket()
      await door.put(`/${bucket}/k`)
      const answer = await door.ask(`PUT /${bucket}/k`, { headers: { 'x-amz-copy-source': `${bucket}/k` } })
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
    async (door) => {
      const bucket = await door.bucket({ versioning: 'Enabled' })
      const { versionId } = await door.put(`/${bucket}/k`, 'old')
      await door.put(`/${bucket}/k`, 'new')
      const headers = { 'x-amz-copy-source': `${bucket}/k?versionId=${versionId}` }
      expectStatus(await door.ask(`PUT /${bucket}/k`, { headers }), 200)
      expect((await door.ask(`GET /${bucket}/k`)).text).toBe('old')
    },
  ],
  [
    'an error says who it answers, in its document and its headers alike',
    async (door) => {
      const answer = await door.ask(`GET /${await door.bucket()}/k`)
      const root = answer.xml()
      for (const name of ['Code', 'Message', 'Key', 'RequestId', 'HostId']) expect(root.get(name), name).toMatch(/\S/)
      expect(answer.headers['x-amz-request-id']).toBe(root.get('RequestId'))
    },
  ],
  [
    'a control character in a key is written as a reference, and safely when encoded for a URL',
    async (door) => {
      const bucket = await door.bucket()
      for (const key of ['a%01', 'a%0D']) await door.put(`/${bucket}/${key}`)
      const plain = await door.ask(`GET /${bucket}?versions`)
      expect(plain.text).toContain('<Key>a&#x1;</Key>')
      expect(plain.text).toMatch(/<Key>a&#(13|x0?D);<\/Key>/)
      const encoded = (await door.list(bucket, 'encoding-type=url')).all('Version')
      expect(encoded.map((version) => version.get('Key'))).toEqual(['a%01', 'a%0D'])
    },
  ],
  [
    'a subresource nobody knows never reaches the object',
    async (door) => {
      const bucket = await door.bucket()
      await door.put(`/${bucket}/k`, 'here')
      for (const method of ['DELETE', 'PUT']) {
        expect((await door.ask(`${method} /${bucket}/k?torrents`)).status).toBeGreaterThanOrEqual(400)
      }
      expect((await door.ask(`GET /${bucket}/k`)).text).toBe('here')
    },
  ],
  [
    'a request 16 minutes from now is refused for its time, and one 14 minutes from now is not',
    async (door) => {
      const bucket = await door.bucket()
      for (const minutes of [-16, 16]) {
        const answer = await door.ask(`GET /${bucket}`, { clockAheadMs: minutes * 60_000 })
        expect(refusal(answer)).toEqual([403, 'RequestTimeTooSkewed'])
      }
      expectStatus(await door.ask(`GET /${bucket}`, { clockAheadMs: -14 * 60_000 }), 200)
    },
  ],
  [
    'a URL that has expired, or lacks a parameter, or comes with headers nobody signed, is told so',
    async (door, dialect) => {
      const bucket = await door.bucket()
      const { host } = door.server
      const url = (secondsAgo: number) =>
        presign(
          { method: 'GET', rawPath: `/${bucket}`, headers: [['host', host]] },
          {
            ...door.server.credentials('root'),
            region: regionOf(dialect),
            now: Date.now() - secondsAgo * 1000,
            expiresSeconds: 2,
          },
        ).rawQuery
      const get = async (query: string, headers: readonly string[] = []) =>
        errorOf(await exchange(door.server, requestText(`GET /${bucket}?${query}`, [`host: ${host}`, ...headers])))
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

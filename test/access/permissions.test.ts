/** What narrow policies of identities let through, over HTTP: by ownership, by headers, by conditions, by what is compared. */
import { createHash, createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CallOptions } from '../acceptance/support/call.ts'
import { type TestService, expectStatus, openTestService, versioningBody } from '../acceptance/support/test-service.ts'
import type { Statement } from '../acceptance/support/server.ts'

const allow = (actions: string, resource: string | readonly string[] = '*', Condition?: object): Statement => ({
  Effect: 'Allow',
  Action: actions.split(' ').map((action) => `s3:${action}`),
  Resource: resource,
  ...(Condition && { Condition }),
})
const anyObject = 'arn:aws:s3:::*/*'

const policies: Record<string, readonly Statement[]> = {
  maker: [allow('CreateBucket')],
  writer: [allow('PutObject AbortMultipartUpload', anyObject)],
  remover: [allow('DeleteObject DeleteObjectVersion', anyObject)],
  objects: [allow('*', anyObject)],
  buckets: [allow('*', 'arn:aws:s3:::bucket-1')],
  none: [allow('GetObjectTorrent')],
  home: [allow('*', '*', { StringLike: { 's3:prefix': 'home/*' } })],
  tagger: [allow('PutObjectTagging', anyObject, { StringEquals: { 's3:RequestObjectTag/stage': 'test' } })],
  holder: [allow('PutObjectLegalHold', anyObject, { StringEquals: { 's3:object-lock-legal-hold': 'ON' } })],
  elsewhere: [allow('CreateBucket', '*', { StringEquals: { 's3:LocationConstraint': 'eu' } })],
}

const everybody = 'http://acs.amazonaws.com/groups/global/AllUsers'
const md5 = (body: string) => createHash('md5').update(body).digest('base64')
const deletion = (...objects: string[]) =>
  `<Delete>${objects.map((one) => `<Object>${one}</Object>`).join('')}</Delete>`

describe('a narrow policy', () => {
  let service: TestService
  beforeAll(async () => {
    service = await openTestService({ policies, serve: { bucketDefaults: 'open' } })
  })
  afterAll(() => service.stop())

  const status = async (line: string, options: CallOptions) => (await service.ask(line, options)).status
  const setPolicy = async (bucket: string, ...Statement: readonly object[]) => {
    const body = JSON.stringify({ Version: '2012-10-17', Statement })
    expectStatus(await service.ask(`PUT /${bucket}?policy`, { body }), 204)
  }

  it('is a ceiling for what owning a bucket, an object or an upload gives', async () => {
    const bucket = service.name()
    expect(await status(`PUT /${bucket}`, { as: 'maker' })).toBe(200)
    await service.put(`/${bucket}/k`)
    const as = 'maker'
    for (const line of [
      ...['', '?list-type=2', '?versions', '?acl', '?policy', '?location', '?uploads'].map(
        (more) => `GET /${bucket}${more}`,
      ),
      `PUT /${bucket}/new`,
      `GET /${bucket}/k`,
      `HEAD /${bucket}/k`,
      `DELETE /${bucket}/k`,
      `GET /${bucket}/k?acl`,
      `POST /${bucket}/k?uploads`,
      `DELETE /${bucket}`,
      `HEAD /${bucket}`,
    ]) {
      expect([line, await status(line, { as })]).toEqual([line, 403])
    }
    const body = deletion('<Key>k</Key>')
    const answer = await service.ask(`POST /${bucket}?delete`, { as, body, headers: { 'content-md5': md5(body) } })
    expect(answer.text).toContain('AccessDenied')
    expect(await status(`PUT /${bucket}?acl`, { as, headers: { 'x-amz-acl': 'public-read' } })).toBe(403)
    expect(await status(`GET /${bucket}/k`, {})).toBe(200)
  })

  it('is a ceiling for what lists grant: to its identity, and to everybody', async () => {
    const bucket = await service.bucket()
    const id = createHash('sha256').update('none').digest('hex')
    await service.put(`/${bucket}/k`)
    expectStatus(
      await service.ask(`PUT /${bucket}/k?acl`, { headers: { 'x-amz-grant-read': `id=${id}, uri="${everybody}"` } }),
      200,
    )
    expectStatus(await service.ask(`PUT /${bucket}?acl`, { headers: { 'x-amz-grant-full-control': `id=${id}` } }), 200)
    expect(await status(`GET /${bucket}/k`, { as: 'nobody' })).toBe(200)
    expect(await status(`GET /${bucket}/k`, { as: 'none' })).toBe(403)
    expect(await status(`PUT /${bucket}/new`, { as: 'none' })).toBe(403)
    expect(await status(`GET /${bucket}`, { as: 'none' })).toBe(403)
    await setPolicy(bucket, { ...allow('GetObject', `arn:aws:s3:::${bucket}/*`), Principal: { AWS: id } })
    expect(await status(`GET /${bucket}/k`, { as: 'none' })).toBe(200)
  })

  it('is not enough to list, tag, lock or hold what it lets write', async () => {
    const bucket = service.name()
    expectStatus(await service.ask(`PUT /${bucket}`, { headers: { 'x-amz-bucket-object-lock-enabled': 'true' } }), 200)
    const until = new Date(Date.now() + 86_400_000).toISOString()
    const headers: readonly Readonly<Record<string, string>>[] = [
      { 'x-amz-acl': 'public-read' },
      { 'x-amz-acl': 'private' },
      { 'x-amz-grant-read': `uri="${everybody}"` },
      { 'x-svc-grant-full-control': `uri="${everybody}"` },
      { 'x-amz-tagging': 'a=b' },
      { 'x-amz-object-lock-mode': 'GOVERNANCE', 'x-amz-object-lock-retain-until-date': until },
      { 'x-amz-object-lock-legal-hold': 'ON' },
    ]
    await service.put(`/${bucket}/source`)
    for (const more of headers) {
      const proof = { 'content-md5': md5('x'), ...more }
      const copy = { 'x-amz-copy-source': `/${bucket}/source`, ...more }
      const requested = [
        await status(`PUT /${bucket}/k`, { as: 'writer', headers: proof, body: 'x' }),
        await status(`POST /${bucket}/k?uploads`, { as: 'writer', headers: more }),
        await status(`PUT /${bucket}/copy`, { as: 'writer', headers: copy }),
        await status(`PUT /${bucket}/k`, { as: 'root', headers: proof, body: 'x' }),
      ]
      expect([more, requested]).toEqual([more, [403, 403, 403, 200]])
    }
    expect(await status(`PUT /${bucket}/k`, { as: 'writer', body: 'x' })).toBe(200)
  })

  it('is not enough for a form whose fields need more permissions', async () => {
    const bucket = await service.bucket()
    const send = (as: string, more: Readonly<Record<string, string>>) => {
      const { accessKeyId, secretAccessKey } = service.server.credentials(as)
      const named = [...Object.keys(more), 'key'].map((name) => ['starts-with', `$${name}`, ''])
      const document = { expiration: '2100-01-01T00:00:00Z', conditions: [{ bucket }, ...named] }
      const policy = Buffer.from(JSON.stringify(document)).toString('base64')
      const signature = createHmac('sha1', secretAccessKey).update(policy).digest('base64')
      const fields = { key: 'k', ...more, AWSAccessKeyId: accessKeyId, policy, signature, file: 'x' }
      const parts = Object.entries(fields).map(
        ([name, value]) => `--cut\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
      )
      const headers = { 'content-type': 'multipart/form-data; boundary=cut' }
      return status(`POST /${bucket}`, { as: 'nobody', headers, body: `${parts.join('')}--cut--\r\n` })
    }
    const tagging = '<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>'
    const fields: readonly Readonly<Record<string, string>>[] = [
      { acl: 'public-read' },
      { 'x-amz-grant-read': `uri="${everybody}"` },
      { tagging },
      { 'x-amz-object-lock-legal-hold': 'ON' },
    ]
    for (const more of fields) expect([more, await send('writer', more)]).toEqual([more, 403])
    for (const more of fields.slice(0, 3)) expect([more, await send('root', more)]).toEqual([more, 204])
    expect(await send('writer', {})).toBe(204)
  })

  it('is not enough to give a new bucket a list, an owner of its objects, locks or tags', async () => {
    const headers: readonly (readonly [Readonly<Record<string, string>>, number])[] = [
      [{ 'x-amz-acl': 'public-read' }, 403],
      [{ 'x-amz-grant-write': `uri="${everybody}"` }, 403],
      [{ 'x-amz-object-ownership': 'ObjectWriter' }, 403],
      [{ 'x-amz-bucket-object-lock-enabled': 'true' }, 403],
      [{ 'x-amz-acl': 'private' }, 200],
      [{}, 200],
    ]
    for (const [more, expected] of headers) {
      expect([more, await status(`PUT /${service.name()}`, { as: 'maker', headers: more })]).toEqual([more, expected])
      expect(await status(`PUT /${service.name()}`, { as: 'ann', headers: more })).toBe(200)
    }
    const tags = '<Tags><Tag><Key>a</Key><Value>b</Value></Tag></Tags>'
    const body = `<CreateBucketConfiguration>${tags}</CreateBucketConfiguration>`
    expect(await status(`PUT /${service.name()}`, { as: 'maker', body })).toBe(403)
    expect(await status(`PUT /${service.name()}`, { as: 'ann', body })).toBe(200)
  })

  it('on objects gives nothing on their bucket, and one on a bucket nothing in it', async () => {
    const bucket = await service.bucket()
    await service.put(`/${bucket}/k`)
    for (const more of [
      '',
      '?list-type=2&prefix=k',
      '?versions',
      '?versions&prefix=k',
      '?uploads',
      '?acl',
      '?policy',
      '?location',
    ])
      expect([more, await status(`GET /${bucket}${more}`, { as: 'objects' })]).toEqual([more, 403])
    expect(await status(`DELETE /${bucket}`, { as: 'objects' })).toBe(403)
    expect(await status(`GET /${bucket}/k`, { as: 'objects' })).toBe(200)
    expectStatus(await service.ask('PUT /bucket-1-x'), 200)
    for (const line of ['GET /bucket-1/k', 'PUT /bucket-1/k', 'GET /bucket-1-x', 'GET /bucket-1-x/k'])
      expect([line, await status(line, { as: 'buckets' })]).toEqual([line, 403])
  })

  it('on a prefix is not met by a parameter of another operation', async () => {
    const bucket = await service.bucket()
    await service.put(`/${bucket}/secret`)
    expect(await status(`GET /${bucket}?prefix=home/a`, { as: 'home' })).toBe(200)
    expect(await status(`GET /${bucket}?prefix=secret`, { as: 'home' })).toBe(403)
    expect(await status(`GET /${bucket}/secret?prefix=home/a`, { as: 'home' })).toBe(403)
    expect(await status(`HEAD /${bucket}?prefix=home/a`, { as: 'home' })).toBe(403)
    expect(await status(`GET /${bucket}?acl&prefix=home/a`, { as: 'home' })).toBe(403)
  })

  it('on versions is met by the version of a copy’s source, and by that of each key to delete', async () => {
    const bucket = await service.bucket({ versioning: 'Enabled' })
    const [first, second] = [
      (await service.put(`/${bucket}/k`, '1')).versionId,
      (await service.put(`/${bucket}/k`, '2')).versionId,
    ]
    const target = await service.bucket({ as: 'ann' })
    const ann = { AWS: createHash('sha256').update('ann').digest('hex') }
    const Condition = { StringEquals: { 's3:VersionId': first } }
    const actions = allow('GetObjectVersion DeleteObjectVersion', `arn:aws:s3:::${bucket}/*`)
    await setPolicy(bucket, { ...actions, Principal: ann, Condition })
    const copy = (versionId: string | undefined) =>
      status(`PUT /${target}/copy`, {
        as: 'ann',
        headers: { 'x-amz-copy-source': `/${bucket}/k?versionId=${versionId}` },
      })
    expect([await copy(first), await copy(second)]).toEqual([200, 403])
    const body = deletion(...[first, second].map((id) => `<Key>k</Key><VersionId>${id}</VersionId>`))
    const headers = { 'content-md5': md5(body) }
    const answer = await service.ask(`POST /${bucket}?delete`, { as: 'ann', body, headers })
    expect(
      answer
        .xml()
        .all('Deleted')
        .map((one) => one.get('VersionId')),
    ).toEqual([first])
    expect(
      answer
        .xml()
        .all('Error')
        .map((one) => one.get('VersionId')),
    ).toEqual([second])
  })

  it('on tags, holds and regions is checked against the body', async () => {
    const bucket = service.name()
    expectStatus(await service.ask(`PUT /${bucket}`, { headers: { 'x-amz-bucket-object-lock-enabled': 'true' } }), 200)
    await service.put(`/${bucket}/k`)
    const tagging = (value: string) =>
      `<Tagging><TagSet><Tag><Key>stage</Key><Value>${value}</Value></Tag></TagSet></Tagging>`
    const tag = (body: string, headers = {}) => status(`PUT /${bucket}/k?tagging`, { as: 'tagger', body, headers })
    expect([await tag(tagging('test')), await tag(tagging('prod'))]).toEqual([200, 403])
    const hold = (word: string) =>
      status(`PUT /${bucket}/k?legal-hold`, { as: 'holder', body: `<LegalHold><Status>${word}</Status></LegalHold>` })
    expect([await hold('OFF'), await hold('ON')]).toEqual([403, 200])
    const place = (name: string) =>
      status(`PUT /${service.name()}`, {
        as: 'elsewhere',
        body: `<CreateBucketConfiguration><LocationConstraint>${name}</LocationConstraint></CreateBucketConfiguration>`,
      })
    expect([await place('eu'), await place('EU'), await place('')]).toEqual([200, 403, 403])
  })

  it('that allows writes or deletes reveals nothing of ETags', async () => {
    const bucket = await service.bucket({ versioning: 'Enabled' })
    const { etag, versionId } = await service.put(`/${bucket}/k`, 'secret')
    for (const ifMatch of [etag, '"00000000000000000000000000000000"']) {
      const headers = { 'if-match': ifMatch }
      for (const key of ['k', 'none']) {
        expect(await status(`PUT /${bucket}/${key}`, { as: 'writer', headers, body: 'x' })).toBe(403)
        expect(await status(`DELETE /${bucket}/${key}`, { as: 'remover', headers })).toBe(403)
      }
      expect(await status(`DELETE /${bucket}/k?versionId=${versionId}`, { as: 'remover', headers })).toBe(403)
      const body = deletion(`<Key>k</Key><ETag>${ifMatch.replaceAll('"', '&quot;')}</ETag>`)
      const more = { 'content-md5': md5(body) }
      const answer = await service.ask(`POST /${bucket}?delete`, { as: 'remover', body, headers: more })
      expect(
        answer
          .xml()
          .all('Error')
          .map((one) => one.get('Code')),
      ).toEqual(['AccessDenied'])
    }
    expect(await status(`PUT /${bucket}/k`, { as: 'root', headers: { 'if-match': etag }, body: 'x' })).toBe(200)
    expect(await status(`PUT /${bucket}/k`, { as: 'writer', headers: { 'if-none-match': '*' }, body: 'x' })).toBe(412)
    expectStatus(await service.ask(`PUT /${bucket}?versioning`, { body: versioningBody('Suspended') }), 200)
    expect(await status(`DELETE /${bucket}/k`, { as: 'remover', headers: { 'if-match': '*' } })).toBe(204)
  })
})

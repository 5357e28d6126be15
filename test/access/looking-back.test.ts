/** Who may look back: `varve:ReadHistory` and what today allows, together; and nobody else learns what there was. */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CallOptions } from '../acceptance/support/call.ts'
import type { Statement } from '../acceptance/support/server.ts'
import { expectStatus, openTestService, type TestService } from '../acceptance/support/test-service.ts'

const allow = (...Action: readonly string[]): Statement => ({ Effect: 'Allow', Action, Resource: '*' })

const policies: Record<string, readonly Statement[]> = {
  s3: [allow('s3:*')],
  star: [allow('*')],
  history: [allow('varve:ReadHistory')],
  both: [allow('s3:*', 'varve:ReadHistory')],
  pattern: [allow('s3:Get*', 'varve:*')],
  except: [{ Effect: 'Allow', NotAction: 's3:DeleteBucket', Resource: '*' } as unknown as Statement],
  starDenied: [allow('s3:*', 'varve:*'), { Effect: 'Deny', Action: 'varve:ReadHistory', Resource: '*' }],
  allDenied: [allow('s3:*', 'varve:*'), { Effect: 'Deny', Action: '*', Resource: 'arn:aws:s3:::*' }],
}

const idOf = (name: string) => createHash('sha256').update(name).digest('hex')

let service: TestService
beforeAll(async () => {
  service = await openTestService({
    policies,
    serve: { bucketDefaults: 'open' },
    store: { retentionMs: 3_600_000 },
  })
})
afterAll(() => service.stop())

const ask = (line: string, options?: CallOptions) => service.ask(line, options)
const outcome = async (line: string, as: string, options: CallOptions = {}) => {
  const answer = await ask(line, { ...options, as })
  return answer.status < 300 ? answer.status : (answer.code() ?? answer.status)
}
const seqOf = async (line: string, options: CallOptions = {}) =>
  Number(expectStatus(await ask(line, { as: 'ann', ...options }), 200).headers['x-varve-seq'])

/** A bucket of ann's, with `k` of `old` at the position and of `new` now. */
async function changed(headers: Readonly<Record<string, string>> = {}) {
  const bucket = await service.bucket({ as: 'ann', versioning: 'Enabled' })
  const seq = await seqOf(`PUT /${bucket}/k`, { body: 'old', headers })
  await seqOf(`PUT /${bucket}/k`, { body: 'new' })
  return { bucket, at: `${bucket}--at-${seq}` }
}

const setPolicy = async (bucket: string, ...statements: readonly object[]) => {
  const Resource = [`arn:aws:s3:::${bucket}`, `arn:aws:s3:::${bucket}/*`]
  const Statement = statements.map((statement) => ({ Effect: 'Allow', Principal: '*', Resource, ...statement }))
  const body = JSON.stringify({ Version: '2012-10-17', Statement })
  expectStatus(await ask(`PUT /${bucket}?policy`, { as: 'ann', body }), 204)
}

const reads = (name: string) => [
  `GET /${name}/k`,
  `HEAD /${name}/k`,
  `GET /${name}`,
  `GET /${name}?versions`,
  `GET /${name}?policy`,
  `GET /${name}/k?tagging`,
  `HEAD /${name}`,
]

describe('the past of a bucket', () => {
  it('is for its owner and for root', async () => {
    const { at } = await changed()
    for (const as of ['ann', 'root']) expect(await outcome(`GET /${at}/k`, as)).toBe(200)
  })

  it('shows strangers nothing, and the same at every moment', async () => {
    const { bucket } = await changed()
    for (const as of ['bob', 'nobody', 's3', 'star']) {
      for (const moment of ['0', '5', '999999999', '19700101t000000z', '29990101t000000z', 'before-import']) {
        for (const line of reads(`${bucket}--at-${moment}`)) {
          const answer = await ask(line, { as })
          expect([line, as, answer.status, answer.headers['x-varve-at']]).toEqual([line, as, 403, undefined])
        }
      }
    }
  })

  it.each([
    ['s3', 'AccessDenied'],
    ['star', 'AccessDenied'],
    ['history', 'AccessDenied'],
    ['except', 'AccessDenied'],
    ['starDenied', 'AccessDenied'],
    ['allDenied', 'AccessDenied'],
    ['both', 200],
    ['pattern', 200],
  ])('by the policy of an identity: %s → %s', async (as, expected) => {
    const { at } = await changed()
    expect(await outcome(`GET /${at}/k`, as)).toBe(expected)
  })

  it('needs the policy of the bucket to name varve:ReadHistory, and allow the action too', async () => {
    const { bucket, at } = await changed()
    const Principal = { AWS: idOf('bob') }
    await setPolicy(bucket, { Principal, Action: 's3:*' })
    expect([await outcome(`GET /${bucket}/k`, 'bob'), await outcome(`GET /${at}/k`, 'bob')]).toEqual([
      200,
      'AccessDenied',
    ])
    await setPolicy(bucket, { Principal, Action: '*' })
    expect(await outcome(`GET /${at}/k`, 'bob')).toBe('AccessDenied')
    await setPolicy(bucket, { Principal, Action: ['s3:GetObject', 'varve:ReadHistory'] })
    expect([await outcome(`GET /${at}/k`, 'bob'), await outcome(`GET /${at}`, 'bob')]).toEqual([200, 'AccessDenied'])
    await setPolicy(bucket, { Principal, Action: 'varve:*' })
    expect(await outcome(`GET /${at}/k`, 'bob')).toBe('AccessDenied')
  })

  it('can be denied, to the owner and to root too', async () => {
    const { bucket, at } = await changed()
    for (const Action of ['varve:ReadHistory', 'varve:*', '*']) {
      await setPolicy(bucket, { Effect: 'Deny', Action })
      for (const as of ['ann', 'root'])
        expect([Action, await outcome(`GET /${at}/k`, as)]).toEqual([Action, 'AccessDenied'])
      expectStatus(await ask(`DELETE /${bucket}?policy`, { as: 'ann' }), 204)
    }
    expect(await outcome(`GET /${at}/k`, 'ann')).toBe(200)
  })

  it('is named by the ARN of the bucket, never by its name as it was', async () => {
    const { bucket, at } = await changed()
    const Resource = [`arn:aws:s3:::${bucket}`, `arn:aws:s3:::${bucket}/k`]
    await setPolicy(bucket, {
      Principal: { AWS: idOf('bob') },
      Action: ['s3:GetObject', 'varve:ReadHistory'],
      Resource,
    })
    expect(await outcome(`GET /${at}/k`, 'bob')).toBe(200)
    expect(await outcome(`GET /${at}/other`, 'bob')).toBe('AccessDenied')
  })

  it('is read by what today allows, not by what was allowed then', async () => {
    const bucket = await service.bucket({ as: 'ann' })
    await seqOf(`PUT /${bucket}/k`)
    await setPolicy(bucket, { Action: ['s3:GetObject', 'varve:ReadHistory'] })
    const at = `${bucket}--at-${await seqOf(`PUT /${bucket}/k`)}`
    expect(await outcome(`GET /${at}/k`, 'nobody')).toBe(200)
    await setPolicy(
      bucket,
      { Action: ['s3:GetObject', 'varve:ReadHistory'] },
      { Effect: 'Deny', Action: 's3:GetObject', Resource: `arn:aws:s3:::${bucket}/k` },
    )
    for (const as of ['nobody', 'bob', 'ann', 'root']) expect(await outcome(`GET /${at}/k`, as)).toBe('AccessDenied')
    expectStatus(await ask(`DELETE /${bucket}?policy`, { as: 'ann' }), 204)
    expect(await outcome(`GET /${at}/k`, 'nobody')).toBe('AccessDenied')
  })

  it('is public only where a policy names varve:ReadHistory for everybody, and nothing blocks it', async () => {
    const { bucket, at } = await changed()
    await setPolicy(bucket, { Action: 's3:*' })
    expect([await outcome(`GET /${bucket}/k`, 'nobody'), await outcome(`GET /${at}/k`, 'nobody')]).toEqual([
      200,
      'AccessDenied',
    ])
    await setPolicy(bucket, { Action: ['s3:*', 'varve:ReadHistory'] })
    expect(await outcome(`GET /${at}/k`, 'nobody')).toBe(200)
    const headers = { 'x-varve-at': at.replace(/.*--at-/, '') }
    expect(await outcome(`GET /${bucket}/k`, 'nobody', { headers })).toBe('AccessDenied')
    const body =
      '<PublicAccessBlockConfiguration><RestrictPublicBuckets>true</RestrictPublicBuckets></PublicAccessBlockConfiguration>'
    expectStatus(await ask(`PUT /${bucket}?publicAccessBlock`, { as: 'ann', body }), 200)
    expect(await outcome(`GET /${at}/k`, 'nobody')).toBe('AccessDenied')
    expect(await outcome(`GET /${at}/k`, 'bob')).toBe('AccessDenied')
  })

  it('is the source of a copy only for those who may read it there', async () => {
    const { bucket, at } = await changed()
    const own = await service.bucket({ as: 'bob' })
    const copy = () => outcome(`PUT /${own}/copy`, 'bob', { headers: { 'x-amz-copy-source': `/${at}/k` } })
    const upload = expectStatus(await ask(`POST /${own}/whole?uploads`, { as: 'bob' }), 200)
      .xml()
      .get('UploadId')
    const part = () =>
      outcome(`PUT /${own}/whole?partNumber=1&uploadId=${upload}`, 'bob', {
        headers: { 'x-amz-copy-source': `/${at}/k` },
      })
    const Principal = { AWS: idOf('bob') }
    await setPolicy(bucket, { Principal, Action: 's3:*' })
    expect([await copy(), await part()]).toEqual(['AccessDenied', 'AccessDenied'])
    await setPolicy(bucket, { Principal, Action: ['s3:GetObject', 'varve:ReadHistory'] })
    expect([await copy(), await part()]).toEqual([200, 200])
    expect((await ask(`GET /${own}/copy`, { as: 'bob' })).text).toBe('old')
  })
})

describe('an object of the past', () => {
  const open = (bucket: string) => setPolicy(bucket, { Action: 'varve:ReadHistory' })
  const versionOf = async (path: string) => (await ask(`HEAD ${path}`)).headers['x-amz-version-id']
  const setAcl = async (path: string, acl: string) =>
    expectStatus(await ask(`PUT ${path}`, { as: 'ann', headers: { 'x-amz-acl': acl } }), 200)

  it('is public if its list of today says so, whatever its list of then said', async () => {
    for (const [then, now, expected] of [
      ['public-read', 'private', 'AccessDenied'],
      ['private', 'public-read', 200],
    ] as const) {
      const { bucket, at } = await changed({ 'x-amz-acl': then })
      await open(bucket)
      expect(await outcome(`GET /${at}/k`, 'nobody')).toBe(then === 'private' ? 'AccessDenied' : 200)
      await setAcl(`/${bucket}/k?acl&versionId=${await versionOf(`/${at}/k`)}`, now)
      expect(await outcome(`GET /${at}/k`, 'nobody')).toBe(expected)
    }
  })

  it('has no list that counts once its version is gone', async () => {
    const { bucket, at } = await changed({ 'x-amz-acl': 'public-read' })
    await open(bucket)
    const id = await versionOf(`/${at}/k`)
    expect(await outcome(`GET /${at}/k`, 'nobody')).toBe(200)
    expectStatus(await ask(`DELETE /${bucket}/k?versionId=${id}`, { as: 'ann' }), 204)
    expect([await outcome(`GET /${at}/k`, 'nobody'), await outcome(`GET /${at}/k`, 'ann')]).toEqual([
      'AccessDenied',
      200,
    ])
  })

  it('is not another null version that took its place', async () => {
    const bucket = await service.bucket({ as: 'ann' })
    const at = `${bucket}--at-${await seqOf(`PUT /${bucket}/k`, { body: 'private' })}`
    await seqOf(`PUT /${bucket}/k`, { body: 'public', headers: { 'x-amz-acl': 'public-read' } })
    await open(bucket)
    expect([await outcome(`GET /${bucket}/k`, 'nobody'), await outcome(`GET /${at}/k`, 'nobody')]).toEqual([
      200,
      'AccessDenied',
    ])
  })

  it('is judged by its tags of then, and by those of now as long as it exists', async () => {
    const { bucket, at } = await changed({ 'x-amz-tagging': 'open=yes' })
    const Condition = { StringEquals: { 's3:ExistingObjectTag/open': 'yes' } }
    const Resource = `arn:aws:s3:::${bucket}/*`
    await setPolicy(bucket, { Action: 'varve:ReadHistory' }, { Action: 's3:GetObject*', Resource, Condition })
    const id = await versionOf(`/${at}/k`)
    const tag = (value: string) => {
      const body = `<Tagging><TagSet><Tag><Key>open</Key><Value>${value}</Value></Tag></TagSet></Tagging>`
      return seqOf(`PUT /${bucket}/k?tagging&versionId=${id}`, { body })
    }
    expect(await outcome(`GET /${at}/k`, 'nobody')).toBe(200)
    const closed = `${bucket}--at-${await tag('no')}`
    const version = (name: string) => outcome(`GET /${name}/k?versionId=${id}`, 'nobody')
    expect([await version(at), await version(closed)]).toEqual(['AccessDenied', 'AccessDenied'])
    await tag('yes')
    expect([await version(at), await version(closed)]).toEqual([200, 'AccessDenied'])
    await tag('no')
    expectStatus(await ask(`DELETE /${bucket}/k?versionId=${id}`, { as: 'ann' }), 204)
    expect([await version(at), await version(closed)]).toEqual([200, 'AccessDenied'])
  })

  it('is not readable for the owner of the bucket where it belongs to somebody else', async () => {
    const bucket = await service.bucket({ as: 'ann' })
    await setPolicy(bucket, { Principal: { AWS: idOf('bob') }, Action: ['s3:PutObject', 'varve:ReadHistory'] })
    const at = `${bucket}--at-${await seqOf(`PUT /${bucket}/k`, { as: 'bob', body: "bob's" })}`
    await seqOf(`PUT /${bucket}/k`, { as: 'bob', body: "bob's too" })
    expect([await outcome(`GET /${bucket}/k`, 'ann'), await outcome(`GET /${at}/k`, 'ann')]).toEqual([
      'AccessDenied',
      'AccessDenied',
    ])
    expect(await outcome(`GET /${at}/k`, 'bob')).toBe(200)
  })

  it('is not known to be absent by those who may not list', async () => {
    const { bucket, at } = await changed()
    await setPolicy(bucket, { Action: ['s3:GetObject', 'varve:ReadHistory'] })
    expect(await outcome(`GET /${at}/absent`, 'nobody')).toBe('AccessDenied')
    await setPolicy(bucket, { Action: ['s3:GetObject', 's3:ListBucket', 'varve:ReadHistory'] })
    expect(await outcome(`GET /${at}/absent`, 'nobody')).toBe('NoSuchKey')
  })
})

describe('a bucket that is gone', () => {
  async function gone() {
    const bucket = await service.bucket({ as: 'ann' })
    const seq = await seqOf(`PUT /${bucket}/k`, { body: 'of ann' })
    expectStatus(await ask(`DELETE /${bucket}/k`, { as: 'ann' }), 204)
    expectStatus(await ask(`DELETE /${bucket}`, { as: 'ann' }), 204)
    return { bucket, at: `${bucket}--at-${seq}` }
  }

  it('is there for its owner of then and for root', async () => {
    const { at } = await gone()
    for (const as of ['ann', 'root']) expect((await ask(`GET /${at}/k`, { as })).text).toBe('of ann')
    for (const as of ['bob', 'nobody', 'both', 'pattern', 'star']) {
      expect([as, await outcome(`GET /${at}/k`, as)]).toEqual([as, 'NoSuchBucket'])
    }
  })

  it('is not opened by another bucket that took its name', async () => {
    const { bucket, at } = await gone()
    expectStatus(await ask(`PUT /${bucket}`, { as: 'bob' }), 200)
    expectStatus(await ask(`PUT /${bucket}/k`, { as: 'bob', body: 'of bob' }), 200)
    const Statement = [
      {
        Effect: 'Allow',
        Principal: '*',
        Action: ['s3:*', 'varve:*'],
        Resource: [`arn:aws:s3:::${bucket}`, `arn:aws:s3:::${bucket}/*`],
      },
    ]
    const body = JSON.stringify({ Version: '2012-10-17', Statement })
    expectStatus(await ask(`PUT /${bucket}?policy`, { as: 'bob', body }), 204)
    for (const as of ['ann', 'root']) expect((await ask(`GET /${at}/k`, { as })).text).toBe('of ann')
    for (const as of ['bob', 'nobody', 'both', 's3']) {
      for (const line of [`GET /${at}/k`, `GET /${at}`, `GET /${at}?acl`]) {
        expect([as, line, await outcome(line, as)]).toEqual([as, line, 'NoSuchBucket'])
      }
    }
    const own = await service.bucket({ as: 'bob' })
    const headers = { 'x-amz-copy-source': `/${at}/k` }
    expect(await outcome(`PUT /${own}/copy`, 'bob', { headers })).toBe('NoSuchBucket')
  })

  it('keeps its secrets from those whom the new bucket denies, as if it had never been', async () => {
    const { bucket, at } = await gone()
    expectStatus(await ask(`PUT /${bucket}`, { as: 'bob' }), 200)
    for (const as of ['nobody', 's3', 'star']) expect(await outcome(`GET /${at}/k`, as)).toBe('AccessDenied')
    expect(await outcome(`GET /${bucket}--at-0/k`, 's3')).toBe('AccessDenied')
    expect(await outcome(`GET /${bucket}--at-0/k`, 'bob')).toBe('NoSuchBucket')
  })
})

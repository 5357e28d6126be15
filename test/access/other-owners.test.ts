/** Objects that belong to somebody else than the bucket: its owner cannot read them, now, as they were, or in a fork. */
import { createHash } from 'node:crypto'
import type { Store } from 'varve'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectStatus, openTestService, type TestService } from '../acceptance/support/test-service.ts'
import { policyOf } from './past/past-bucket.ts'

let service: TestService
let open: Store
beforeAll(async () => {
  service = await openTestService({
    policies: { writer: [{ Effect: 'Allow', Action: 's3:PutObject', Resource: '*' }] },
    serve: { bucketDefaults: 'open' },
    wrap: (store) => (open = store),
  })
})
afterAll(() => service.stop())

const status = async (line: string, as: string, headers: Readonly<Record<string, string>> = {}) =>
  (await service.ask(line, { as, headers })).status
const allowBob = [
  { Principal: { AWS: createHash('sha256').update('bob').digest('hex') }, Action: ['s3:PutObject', 's3:GetObject'] },
]

/** A bucket of ann's with `k` of bob, who was allowed to write it and is not allowed any more. */
async function lentBucket() {
  const bucket = await service.bucket({ as: 'ann', versioning: 'Enabled' })
  expectStatus(await service.ask(`PUT /${bucket}?policy`, { as: 'ann', body: policyOf(bucket, allowBob) }), 204)
  const put = expectStatus(await service.ask(`PUT /${bucket}/k`, { as: 'bob', body: 'of bob' }), 200)
  const fork = service.name()
  expectStatus(await service.ask(`PUT /${fork}`, { as: 'ann', headers: { 'x-varve-fork-source': bucket } }), 200)
  for (const name of [bucket, fork]) expectStatus(await service.ask(`DELETE /${name}?policy`, { as: 'ann' }), 204)
  return { bucket, fork, at: `${bucket}--at-${put.headers['x-varve-seq']}` }
}

describe('an object of somebody else', () => {
  it('is not readable for the owner of its bucket, also after nobody else may write there', async () => {
    const { bucket, fork, at } = await lentBucket()
    const own = await service.bucket({ as: 'ann' })
    for (const place of [bucket, fork, at]) {
      for (const line of [`GET /${place}/k`, `HEAD /${place}/k`, `GET /${place}/k?acl`]) {
        expect([line, await status(line, 'ann')]).toEqual([line, 403])
      }
      const copied = await status(`PUT /${own}/copy`, 'ann', { 'x-amz-copy-source': `/${place}/k` })
      expect([place, copied]).toEqual([place, 403])
    }
    expect(await status(`GET /${bucket}/k`, 'root')).toBe(200)
    expect(await status(`DELETE /${bucket}/k`, 'ann')).toBe(204)
  })

  it('is not readable for the owner of its bucket, if the policy of an identity let it be written', async () => {
    const bucket = await service.bucket({ as: 'ann' })
    expectStatus(await service.ask(`PUT /${bucket}/k`, { as: 'writer' }), 200)
    expect(await status(`GET /${bucket}/k`, 'ann')).toBe(403)
  })

  it('is readable for the owner of a bucket that owns all of its objects', async () => {
    const { bucket } = await lentBucket()
    const rule = '<Rule><ObjectOwnership>BucketOwnerEnforced</ObjectOwnership></Rule>'
    const body = `<OwnershipControls>${rule}</OwnershipControls>`
    expectStatus(await service.ask(`PUT /${bucket}?ownershipControls`, { as: 'ann', body }), 200)
    expect(await status(`GET /${bucket}/k`, 'ann')).toBe(200)
  })

  it('of the process that has the store open is readable for the owner of its bucket', async () => {
    const bucket = await service.bucket({ as: 'ann' })
    await open.objects.put(bucket, 'k', 'of the process')
    expect(await status(`GET /${bucket}/k`, 'ann')).toBe(200)
  })

  it('of root is readable for the owner of its bucket', async () => {
    const bucket = await service.bucket({ as: 'ann' })
    await service.put(`/${bucket}/k`)
    expect([await status(`GET /${bucket}/k`, 'ann'), await status(`GET /${bucket}/none`, 'ann')]).toEqual([200, 404])
  })
})

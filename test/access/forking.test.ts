/** Who may fork a bucket over S3: `s3:CreateBucket` for the new one, and `varve:ForkBucket` for its source. */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CallOptions } from '../acceptance/support/call.ts'
import type { Statement } from '../acceptance/support/server.ts'
import { expectStatus, openTestService, type TestService } from '../acceptance/support/test-service.ts'

const allow = (...Action: readonly string[]): Statement => ({ Effect: 'Allow', Action, Resource: '*' })

const policies: Record<string, readonly Statement[]> = {
  s3: [allow('s3:*')],
  star: [allow('*')],
  forks: [allow('varve:ForkBucket')],
  both: [allow('s3:CreateBucket', 'varve:ForkBucket')],
  past: [allow('s3:CreateBucket', 'varve:ForkBucket', 'varve:ReadHistory')],
  elsewhere: [allow('s3:*'), { ...allow('varve:ForkBucket'), Resource: 'arn:aws:s3:::elsewhere' }],
  denied: [allow('s3:*', 'varve:*'), { Effect: 'Deny', Action: 'varve:ForkBucket', Resource: '*' }],
}
const idOf = (name: string) => createHash('sha256').update(name).digest('hex')

let service: TestService
beforeAll(async () => {
  service = await openTestService({ policies, serve: { bucketDefaults: 'open' } })
})
afterAll(() => service.stop())

const outcome = async (line: string, as: string, options: CallOptions = {}) => {
  const answer = await service.ask(line, { ...options, as })
  return answer.status < 300 ? answer.status : (answer.code() ?? answer.status)
}
const fork = (source: string, as: string, name = service.name()) =>
  outcome(`PUT /${name}`, as, { headers: { 'x-varve-fork-source': source } })

async function ofAnn() {
  const bucket = await service.bucket({ as: 'ann' })
  const answer = expectStatus(await service.ask(`PUT /${bucket}/k`, { as: 'ann', body: 'old' }), 200)
  return { bucket, past: `${bucket}--at-${answer.headers['x-varve-seq']}` }
}

const setPolicy = async (bucket: string, ...statements: readonly object[]) => {
  const Resource = `arn:aws:s3:::${bucket}`
  const Statement = statements.map((statement) => ({ Effect: 'Allow', Principal: '*', Resource, ...statement }))
  const body = JSON.stringify({ Version: '2012-10-17', Statement })
  expectStatus(await service.ask(`PUT /${bucket}?policy`, { as: 'ann', body }), 204)
}

describe('a fork', () => {
  it('is for the owner of its source and for root, and belongs to its creator', async () => {
    const { bucket, past } = await ofAnn()
    for (const as of ['ann', 'root']) {
      for (const source of [bucket, past]) expect([as, source, await fork(source, as)]).toEqual([as, source, 200])
    }
    const name = service.name()
    expect(await fork(bucket, 'root', name)).toBe(200)
    expect(await outcome(`GET /${name}`, 'ann')).toBe('AccessDenied')
    expect(await outcome(`GET /${name}`, 'root')).toBe(200)
  })

  it.each([
    ['nobody', 'AccessDenied'],
    ['bob', 'AccessDenied'],
    ['s3', 'AccessDenied'],
    ['star', 'AccessDenied'],
    ['forks', 'AccessDenied'],
    ['elsewhere', 'AccessDenied'],
    ['denied', 'AccessDenied'],
    ['both', 200],
  ])('by the policy of an identity: %s → %s', async (as, expected) => {
    expect(await fork((await ofAnn()).bucket, as)).toBe(expected)
  })

  it('of a bucket as it was needs varve:ReadHistory too', async () => {
    const { past } = await ofAnn()
    expect(await fork(past, 'both')).toBe('AccessDenied')
    expect(await fork(past, 'past')).toBe(200)
  })

  it('needs a policy of the source that names varve:ForkBucket', async () => {
    const { bucket } = await ofAnn()
    const Principal = { AWS: idOf('bob') }
    for (const [Action, expected] of [
      ['s3:*', 'AccessDenied'],
      ['*', 'AccessDenied'],
      ['varve:ForkBucket', 200],
    ] as const) {
      await setPolicy(bucket, { Principal, Action })
      expect([Action, await fork(bucket, 'bob')]).toEqual([Action, expected])
    }
  })

  it('is never for requests without a signature, whatever the policy', async () => {
    const { bucket } = await ofAnn()
    await setPolicy(bucket, { Action: 'varve:ForkBucket' })
    expect(await fork(bucket, 'nobody')).toBe('AccessDenied')
  })

  it('can be denied by the source, to its owner and to root too', async () => {
    const { bucket } = await ofAnn()
    await setPolicy(bucket, { Effect: 'Deny', Action: 'varve:ForkBucket' })
    for (const as of ['ann', 'root', 'both']) expect([as, await fork(bucket, as)]).toEqual([as, 'AccessDenied'])
  })

  it('of a bucket that is gone is for its owner of then alone, whoever has the name now', async () => {
    const { bucket, past } = await ofAnn()
    expect(await outcome(`DELETE /${bucket}/k`, 'ann')).toBe(204)
    expect(await outcome(`DELETE /${bucket}`, 'ann')).toBe(204)
    expect(await outcome(`PUT /${bucket}`, 'bob')).toBe(200)
    expect(await fork(past, 'bob')).toBe('NoSuchBucket')
    expect(await fork(past, 'past')).toBe('NoSuchBucket')
    expect(await fork(past, 'ann')).toBe(200)
  })
})

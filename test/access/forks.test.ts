/** Forks over S3: who may create them, and who may do what in them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CallOptions } from '../acceptance/support/call.ts'
import type { Statement } from '../acceptance/support/server.ts'
import { expectStatus, openTestService, type TestService } from '../acceptance/support/test-service.ts'

const allow = (...Action: readonly string[]): Statement => ({ Effect: 'Allow', Action, Resource: '*' })
const policies = { s3: [allow('s3:*')], all: [allow('*', 'varve:*')] }

let service: TestService
beforeAll(async () => {
  service = await openTestService({ policies, serve: { bucketDefaults: 'open' } })
})
afterAll(() => service.stop())

const ask = (line: string, options?: CallOptions) => service.ask(line, options)
const outcome = async (line: string, options: CallOptions = {}) => {
  const answer = await ask(line, options)
  return answer.status < 300 ? answer.text : (answer.code() ?? answer.status)
}
const fork = (name: string, source: string, options: CallOptions = {}) =>
  ask(`PUT /${name}`, { ...options, headers: { 'x-varve-fork-source': source, ...options.headers } })

let count = 0
const next = () => `fork-${++count}`

/** A bucket of ann's with one object. */
async function base(): Promise<string> {
  const bucket = await service.bucket({ as: 'ann' })
  expectStatus(await ask(`PUT /${bucket}/k`, { as: 'ann', body: 'old' }), 200)
  return bucket
}

describe('CreateBucket with a source', () => {
  it('makes a fork of a bucket as it is, or was', async () => {
    const bucket = await base()
    const put = expectStatus(await ask(`PUT /${bucket}/k`, { as: 'ann', body: 'new' }), 200)
    const [now, then] = [next(), next()]
    const made = expectStatus(await fork(now, bucket), 200)
    expect(Number(made.headers['x-varve-at'])).toBeGreaterThan(Number(put.headers['x-varve-seq']))
    const at = Number(put.headers['x-varve-seq']) - 1
    expect(expectStatus(await fork(then, `${bucket}--at-${at}`), 200).headers['x-varve-at']).toBe(String(at))
    expectStatus(await ask(`DELETE /${bucket}/k`, { as: 'ann' }), 204)
    expect([await outcome(`GET /${now}/k`), await outcome(`GET /${then}/k`)]).toEqual(['new', 'old'])
  })

  it('is for root alone, whatever a policy allows', async () => {
    const bucket = await base()
    for (const as of ['ann', 's3', 'all']) expect((await fork(next(), bucket, { as })).code(), as).toBe('AccessDenied')
    expect((await fork(next(), bucket, { as: 'nobody' })).code()).toBe('AccessDenied')
  })

  it('gives nobody what the base gave them by its policy', async () => {
    const bucket = await base()
    const name = next()
    const Resource = `arn:aws:s3:::${bucket}/*`
    const Statement = [{ Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource }]
    const body = JSON.stringify({ Version: '2012-10-17', Statement })
    expectStatus(await ask(`PUT /${bucket}?policy`, { as: 'ann', body }), 204)
    expectStatus(await fork(name, bucket), 200)
    expect(await outcome(`GET /${bucket}/k`, { as: 'all' })).toBe('old')
    expect(await outcome(`GET /${name}/k`, { as: 'nobody' })).toBe('AccessDenied')
  })

  it('refuses settings of its own, and sources that are no bucket', async () => {
    const bucket = await base()
    const headers = { 'x-amz-acl': 'public-read' }
    expect((await fork(next(), bucket, { headers })).code()).toBe('InvalidRequest')
    const body = '<CreateBucketConfiguration><LocationConstraint>eu</LocationConstraint></CreateBucketConfiguration>'
    expect((await fork(next(), bucket, { body })).code()).toBe('InvalidRequest')
    expect((await fork(next(), 'no-such-bucket')).code()).toBe('NoSuchBucket')
    expect((await fork(next(), '')).code()).toBe('NoSuchBucket')
    expect((await fork(next(), `${bucket}--at-999999`)).code()).toBe('MomentOutOfRange')
    expect((await fork(bucket, bucket)).status).toBe(409)
  })
})

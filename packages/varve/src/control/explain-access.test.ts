/** Whether an identity may do something, and why: the answer is that of a request. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Store } from '@varve/core'
import type { AccessExplanation } from '@varve/http'
import { createIdentity, type Identity, parsePolicy, type RunningServer, serve, signRequest } from '../http.ts'
import { memoryStore } from '../store/memory-store.ts'

const secretAccessKey = 'a-secret-of-some-length'
const identityOf = (name: string, more: object = {}) =>
  createIdentity({ name, id: name, accessKeyId: `KEY${name}`, secretAccessKey, ...more })
const withPolicy = (name: string, ...Statement: readonly object[]) =>
  identityOf(name, { policy: parsePolicy({ Version: '2012-10-17', Statement }) })
const everything = { Resource: '*', Action: 's3:*' }

const root = identityOf('root', { root: true })
const alice = identityOf('alice')
const bob = identityOf('bob')
const reader = withPolicy('reader', { Sid: 'read', Effect: 'Allow', Action: 's3:Get*', Resource: '*' })
const banned = withPolicy('banned', { Effect: 'Allow', ...everything }, { Sid: 'ban', Effect: 'Deny', ...everything })
const atHome = withPolicy('home', {
  Sid: 'home',
  Effect: 'Allow',
  ...everything,
  Condition: { IpAddress: { 'aws:SourceIp': '192.0.2.0/24' } },
})
const tagged = withPolicy('tagged', {
  Effect: 'Allow',
  Action: 's3:GetObject',
  Resource: '*',
  Condition: { StringEquals: { 's3:ExistingObjectTag/state': 'open' } },
})
const identities = [root, alice, bob, reader, banned, atHome, tagged]

let store: Store
let server: RunningServer

async function get(path: string, by: Identity, method = 'GET'): Promise<{ status: number; body: string }> {
  const [rawPath = '', rawQuery = ''] = path.split('?')
  const options = {
    accessKeyId: by.accessKeyId,
    secretAccessKey,
    region: 'eu',
    now: Date.now(),
    payloadHash: 'UNSIGNED-PAYLOAD',
  }
  const { host } = new URL(server.url)
  const signed = signRequest({ method, rawPath, rawQuery, headers: [['host', host]] }, options)
  const headers = Object.fromEntries(signed.headers.filter(([name]) => name !== 'host'))
  const response = await fetch(`${server.url}${path}`, { method, headers })
  return { status: response.status, body: await response.text() }
}

async function explained(query: string): Promise<AccessExplanation> {
  const { status, body } = await get(`/-/v1/access?${query}`, root)
  expect(status, body).toBe(200)
  return JSON.parse(body) as AccessExplanation
}

beforeAll(async () => {
  store = await memoryStore()
  server = await serve({ store, controlStore: () => store, identities, port: 0 })
  const ofAlice = store.as({ by: { id: 'alice', name: 'alice' } })
  await ofAlice.buckets.create('photos')
  await ofAlice.objects.put('photos', 'cat', 'a cat')
  await ofAlice.objects.put('photos', 'kept/dog', 'a dog')
  await ofAlice.objects.put('photos', 'tagged', 'a cow', { tags: [{ key: 'state', value: 'open' }] })
  const Statement = [
    { Sid: 'keep', Effect: 'Deny', Principal: '*', Action: 's3:DeleteObject', Resource: 'arn:aws:s3:::photos/kept/*' },
    {
      Sid: 'bob',
      Effect: 'Allow',
      Principal: { AWS: 'bob' },
      Action: 's3:DeleteObject',
      Resource: 'arn:aws:s3:::photos/*',
    },
  ]
  await ofAlice.buckets.settings.put('photos', 'Policy', JSON.stringify({ Version: '2012-10-17', Statement }))
})
afterAll(async () => {
  await server.close({ graceMs: 0 })
  await store.close()
})

describe('may an identity do this', () => {
  it.each([
    ['identity=root&action=s3:DeleteObject&bucket=photos&key=cat', true, 'root'],
    ['identity=alice&action=s3:DeleteObject&bucket=photos&key=cat', true, 'owner'],
    ['identity=alice&action=s3:DeleteObject&bucket=photos&key=kept%2Fdog', false, 'bucket-policy-denies'],
    ['identity=bob&action=s3:DeleteObject&bucket=photos&key=cat', true, 'bucket-policy'],
    ['identity=bob&action=s3:GetObject&bucket=photos&key=cat', false, 'nothing-allows'],
    ['identity=bob&action=s3:CreateBucket&bucket=new', true, 'any-identity'],
    ['identity=reader&action=s3:GetObject&bucket=photos&key=cat', true, 'identity-policy'],
    ['identity=reader&action=s3:DeleteObject&bucket=photos&key=cat', false, 'policy-is-silent'],
    ['identity=banned&action=s3:GetObject&bucket=photos&key=cat', false, 'identity-policy-denies'],
    ['action=s3:GetObject&bucket=photos&key=cat', false, 'nothing-allows'],
    ['identity=tagged&action=s3:GetObject&bucket=photos&key=tagged', true, 'identity-policy'],
    ['identity=tagged&action=s3:GetObject&bucket=photos&key=cat', false, 'policy-is-silent'],
    ['identity=tagged&action=s3:GetObject&bucket=photos&key=none', false, 'policy-is-silent'],
    ['identity=home&action=s3:GetObject&bucket=photos&key=cat&address=192.0.2.7', true, 'identity-policy'],
    ['identity=home&action=s3:GetObject&bucket=photos&key=cat&address=203.0.113.7', false, 'policy-is-silent'],
  ])('%s: %s, %s', async (query, allowed, reason) => {
    expect(await explained(query)).toMatchObject({ allowed, reason, text: expect.stringMatching(/\.$/) as string })
  })

  it('names the statements, also one whose conditions do not hold', async () => {
    const denied = await explained('identity=alice&action=s3:DeleteObject&bucket=photos&key=kept%2Fdog')
    expect(denied.statements).toEqual([{ policy: 'bucket', index: 0, sid: 'keep', effect: 'Deny', holds: true }])
    const away = await explained('identity=home&action=s3:GetObject&bucket=photos&key=cat&address=203.0.113.7')
    expect(away.statements).toEqual([{ policy: 'identity', index: 0, sid: 'home', effect: 'Allow', holds: false }])
  })

  it('answers as the requests themselves are answered', async () => {
    for (const by of identities.filter(({ name }) => name !== 'home')) {
      for (const [method, action] of [
        ['GET', 's3:GetObject'],
        ['DELETE', 's3:DeleteObject'],
      ] as const) {
        const { allowed } = await explained(`identity=${by.id}&action=${action}&bucket=photos&key=kept%2Fdog`)
        const { status } = await get('/photos/kept/dog', by, method)
        expect(status === 403, `${by.id} ${action}`).toBe(!allowed)
        await store.as({ by: { id: 'alice', name: 'alice' } }).objects.put('photos', 'kept/dog', 'a dog')
      }
    }
  })

  it('is a question for root, about what there is', async () => {
    for (const by of [alice, reader]) expect((await get('/-/v1/access?action=s3:GetObject', by)).status).toBe(403)
    expect((await get('/-/v1/access?action=s3:GetObject&identity=none', root)).status).toBe(400)
    expect((await get('/-/v1/access?action=s3:Fly', root)).status).toBe(400)
    expect((await get('/-/v1/access?action=s3:GetObject&key=cat', root)).status).toBe(400)
    expect((await get('/-/v1/access?action=s3:GetObject&bucket=none', root)).status).toBe(404)
  })
})

describe('the metrics of a server', () => {
  it('are not there unless it measures', async () => {
    expect(await get('/-/v1/metrics', root)).toMatchObject({ status: 501 })
  })
})

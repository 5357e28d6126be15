import { afterEach, describe, expect, it } from 'vitest'
import { fakeStore } from '../fake-store.fixture.ts'
import { serve, type RunningServer } from '../server/serve.ts'
import { signRequest } from '../sigv4/sign-request.ts'
import { alice, bob, hashing, noon } from '../signed-request.fixture.ts'
import { owned, put } from '../test-server.fixture.ts'
import type { RateLimitOptions } from './rate-limits.ts'
import { TokenBuckets } from './token-buckets.ts'

describe('token buckets', () => {
  it('let a burst pass at once, and then the rate, and say how long to wait', () => {
    let now = 0
    const buckets = new TokenBuckets({ perSecond: 10, burst: 3 }, () => now)
    const taken = () => [1, 2, 3, 4].map(() => buckets.take('a'))
    expect(taken()).toEqual([undefined, undefined, undefined, 100])
    now = 99
    expect(buckets.take('a')).toBeCloseTo(1)
    now = 100
    expect([buckets.take('a'), buckets.take('a')]).toEqual([undefined, 100])
    now = 1e9
    expect(taken()).toEqual([undefined, undefined, undefined, 100])
  })

  it('never let more pass than burst and rate allow, however the calls are spread', () => {
    for (let round = 1; round <= 50; round++) {
      let now = 0
      const limit = { perSecond: round % 7 || 0.5, burst: (round % 5) + 1 }
      const buckets = new TokenBuckets(limit, () => now)
      let passed = 0
      for (let i = 0; i < 500; i++) {
        now += (round * 31 + i * 17) % 97
        if (buckets.take('a') === undefined) passed++
        expect(passed).toBeLessThanOrEqual(limit.burst + (now * limit.perSecond) / 1000 + 1e-6)
      }
      expect(passed).toBeGreaterThan(0)
    }
  })

  it('are separate for each name, and are held for the last 10,000 names alone', () => {
    const buckets = new TokenBuckets({ perSecond: 0.001, burst: 1 }, () => 0)
    expect([buckets.take('a'), buckets.take('b')]).toEqual([undefined, undefined])
    expect(buckets.take('a')).toBeGreaterThan(0)
    for (let i = 0; i < 50_000; i++) buckets.take(`name-${i}`)
    expect(buckets.size).toBe(10_000)
  })
})

describe('a server with rate limits', () => {
  const running: RunningServer[] = []
  afterEach(() => Promise.all(running.splice(0).map((server) => server.close({ graceMs: 0 }))))

  async function started(rateLimits: RateLimitOptions): Promise<RunningServer> {
    const store = fakeStore({ buckets: owned, objects: { put } })
    const common = { store, identities: [alice, bob], hashing, now: () => noon, port: 0 }
    const server = await serve({ ...common, rateLimits })
    running.push(server)
    return server
  }

  async function putBy({ url }: RunningServer, by: typeof alice): Promise<Response> {
    const headers: readonly [string, string][] = [['host', new URL(url).host]]
    const { accessKeyId, secretAccessKey } = by
    const options = { accessKeyId, secretAccessKey, region: 'eu', now: noon, payloadHash: 'UNSIGNED-PAYLOAD' }
    const signed = signRequest({ method: 'PUT', rawPath: '/bucket/k', headers }, options)
    return fetch(`${url}/bucket/k`, { method: 'PUT', body: 'abc', headers: signed.headers.map(([a, b]) => [a, b]) })
  }

  it('refuses requests of an identity beyond its limit with SlowDown, and those of others not', async () => {
    const server = await started({ identity: { perSecond: 0.01, burst: 2 } })
    const statuses = [await putBy(server, alice), await putBy(server, alice)].map(({ status }) => status)
    expect(statuses).toEqual([200, 200])
    const refused = await putBy(server, alice)
    expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([503, expect.closeTo(100, -1)])
    expect(await refused.text()).toContain('<Code>SlowDown</Code>')
    expect((await putBy(server, bob)).status).not.toBe(503)
  })

  it('takes nothing of an identity for requests whose signature is wrong', async () => {
    const server = await started({ identity: { perSecond: 0.01, burst: 1 } })
    const wrong = { ...alice, accessKeyId: alice.accessKeyId, secretAccessKey: 'a wrong secret' }
    for (let i = 0; i < 3; i++) expect((await putBy(server, wrong)).status).toBe(403)
    expect((await putBy(server, alice)).status).toBe(200)
  })

  it('refuses requests of an address beyond its limit, also those without a valid signature, but never the health check', async () => {
    const server = await started({ address: { perSecond: 0.01, burst: 2 } })
    const status = async () => (await fetch(`${server.url}/bucket/k`)).status
    expect([await status(), await status(), await status()]).toEqual([403, 403, 503])
    expect((await putBy(server, alice)).status).toBe(503)
    expect((await fetch(`${server.url}/-/health`)).status).toBe(200)
  })
})

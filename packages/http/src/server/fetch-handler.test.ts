import { describe, expect, it } from 'vitest'
import { fakeStore } from '../fake-store.fixture.ts'
import type { FakeStore } from '../fake-store.fixture.ts'
import { createFetchHandler } from './fetch-handler.ts'
import { alice, hashing, noon, signedHeaders } from '../signed-request.fixture.ts'
import type { RequestFixture } from '../signed-request.fixture.ts'
import { objectOf, owned, put } from '../test-server.fixture.ts'

async function ask(method: string, path: string, store: FakeStore, fixture: RequestFixture = {}): Promise<Response> {
  const handler = createFetchHandler({ store: fakeStore(store), identities: [alice], hashing, now: () => noon })
  const raw = signedHeaders(method, path, fixture)
  const headers = new Headers()
  for (let i = 0; i < raw.length; i += 2) {
    const [name = '', value = ''] = raw.slice(i, i + 2)
    if (name !== 'content-length' && name !== 'host') headers.append(name, value)
  }
  const body = fixture.body === undefined ? {} : { body: fixture.body }
  return handler(new Request(`http://localhost:9000${path}`, { method, headers, ...body }))
}

describe('the server in fetch style', () => {
  it('answers as the other one does', async () => {
    const response = await ask('GET', '/bucket?abac', { buckets: owned })
    expect(response.status).toBe(501)
    expect(response.headers.get('x-amz-request-id')).toMatch(/^[0-9A-F]{16}$/)
    expect(await response.text()).toContain('<Code>NotImplemented</Code>')
  })

  it('takes bodies in, however they come', async () => {
    const sizes: number[] = []
    const counting: typeof put = async (...args) => {
      const result = await put(...args)
      sizes.push(result.size)
      return result
    }
    const store = { buckets: owned, objects: { put: counting } }
    expect((await ask('PUT', '/bucket/key%20%2B', store, { body: 'abc' })).status).toBe(200)
    expect((await ask('PUT', '/bucket/key', store)).status).toBe(200)
    expect(sizes).toEqual([3, 0])
  })

  it('ends a body when its last byte was taken, without another read', async () => {
    let ended = false
    async function* bytes() {
      for (let i = 0; i < 3; i++) yield new Uint8Array(10)
      ended = true
    }
    const response = await ask('GET', '/bucket/key', {
      buckets: owned,
      objects: { get: async () => objectOf(30, bytes()) },
    })
    const reader = response.body?.getReader()
    for (let i = 0; i < 2; i++) expect((await reader?.read())?.value).toHaveLength(10)
    await expect.poll(() => ended).toBe(true)
    expect((await reader?.read())?.value).toHaveLength(10)
    expect((await reader?.read())?.done).toBe(true)
  })

  it('produces bodies as they are read, and releases them', async () => {
    let given = 0
    let closed = false
    async function* bytes() {
      try {
        for (;;) {
          given += 1
          yield new Uint8Array(10)
        }
      } finally {
        closed = true
      }
    }
    const response = await ask('GET', '/bucket/key', {
      buckets: owned,
      objects: { get: async () => objectOf(1e9, bytes()) },
    })
    const reader = response.body?.getReader()
    expect((await reader?.read())?.value).toHaveLength(10)
    expect(given).toBeLessThan(5)
    await reader?.cancel()
    expect(closed).toBe(true)
  })

  it('has no body for HEAD', async () => {
    const response = await ask('HEAD', '/bucket', { buckets: owned })
    expect(response.status).toBe(200)
    expect(response.body).toBeNull()
  })

  it('turns what breaks into 500', async () => {
    const response = await ask('GET', '/bucket', { buckets: owned, objects: {} })
    expect(response.status).toBe(500)
  })
})

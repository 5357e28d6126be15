import { createServer, request } from 'node:http'
import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFetchHandler, createHandler, createIdentity, presign, serve, signRequest } from './http.ts'
import { memoryStore, type Store } from './index.ts'

const credentials = { accessKeyId: 'root-key', secretAccessKey: 'root-secret' }
const identities = [createIdentity({ name: 'root', ...credentials, root: true })]
let store: Store

beforeEach(async () => {
  store = await memoryStore()
  await store.buckets.create('photos')
  await store.objects.put('photos', 'a', 'hello')
})
afterEach(() => store.close())

function presigned(origin: string): string {
  const { host } = new URL(origin)
  const request = { method: 'GET', rawPath: '/photos/a', headers: [['host', host]] } as const
  const options = { ...credentials, region: 'eu', now: Date.now(), expiresSeconds: 60 }
  return `${origin}/photos/a?${presign(request, options).rawQuery}`
}

describe('varve/http', () => {
  it('serves a store with nothing but its identities given', async () => {
    const server = await serve({ store, identities, port: 0 })
    const response = await fetch(presigned(server.url))
    expect(await response.text()).toBe('hello')
    await server.close()
    expect(store.state).toBe('open')
  })

  it('answers requests that never left the process', async () => {
    const answer = await createFetchHandler({ store, identities })
    const response = await answer(new Request(presigned('http://store.example')))
    expect({ status: response.status, text: await response.text() }).toEqual({ status: 200, text: 'hello' })
  })

  it('gives listeners for a server of your own', async () => {
    const { request } = await createHandler({ store, identities })
    const server = createServer(request).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const response = await fetch(presigned(`http://127.0.0.1:${port}`))
    expect(await response.text()).toBe('hello')
    server.closeAllConnections()
    server.close()
  })
})

describe('the console', () => {
  it('is the package, which needs not be there, or the directory that is given', async () => {
    const ofPackage = await createFetchHandler({ store, identities, console: true })
    const page = await ofPackage(new Request('http://store.example/-/console/'))
    expect([200, 404]).toContain(page.status)
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    const without = await createFetchHandler({ store, identities, console: false })
    expect((await without(new Request('http://store.example/-/console/'))).status).toBe(400)
    await expect(createFetchHandler({ store, identities, console: 1 as never })).rejects.toMatchObject({
      code: 'InvalidArgument',
    })
  })

  it('works behind a proxy that removes a prefix: browsers sign the path without it, and the host as it is', async () => {
    const server = await serve({ store, identities, port: 0, console: true })
    const proxy = createServer(({ method, url = '', headers }, response) => {
      const path = url.replace(/^\/store(?=\/)/, '')
      const onward = request(server.url, { method, path, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.headers)
        answer.pipe(response)
      })
      onward.end()
    }).listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    const { port } = proxy.address() as { port: number }
    const here = `http://127.0.0.1:${port}/store/`
    const visit = await fetch(here, { headers: { accept: 'text/html' }, redirect: 'manual' })
    expect(new URL(visit.headers.get('location') ?? '', here).pathname).toBe('/store/-/console/')
    const toSign = { method: 'GET', rawPath: '/photos/a', headers: [['host', `127.0.0.1:${port}`]] } as const
    const signed = signRequest(toSign, {
      ...credentials,
      region: 'eu',
      now: Date.now(),
      payloadHash: 'UNSIGNED-PAYLOAD',
    })
    const headers = Object.fromEntries(signed.headers.filter(([name]) => name !== 'host'))
    expect(await (await fetch(`${here}photos/a`, { headers })).text()).toBe('hello')
    proxy.closeAllConnections()
    proxy.close()
    await server.close()
  })
})

describe('a request', () => {
  const host = 'store.example'

  async function requests() {
    const answer = await createFetchHandler({ store, identities })
    const { owner } = store
    const withSnapshot = owner.withSnapshot.bind(owner)
    let taken = 0
    const withRecent = owner.withRecent?.bind(owner)
    owner.withSnapshot = (read) => {
      taken++
      return withSnapshot(read)
    }
    owner.withRecent = (read) => {
      taken++
      return withRecent?.(read) ?? withSnapshot(read)
    }
    return async (method: string, path: string, body?: string) => {
      const request = { method, rawPath: path, headers: [['host', host]] } as const
      const { rawQuery } = presign(request, { ...credentials, region: 'eu', now: Date.now(), expiresSeconds: 60 })
      taken = 0
      const init = { method, ...(body !== undefined && { body }) }
      const response = await answer(new Request(`http://${host}${path}?${rawQuery}`, init))
      await response.arrayBuffer()
      expect(response.ok).toBe(true)
      return taken
    }
  }

  it('takes one snapshot of the store, and one more when its bucket has changed', async () => {
    const snapshots = await requests()
    expect(await snapshots('PUT', '/photos/b', 'first')).toBe(2)
    expect(await snapshots('PUT', '/photos/b', 'second')).toBe(1)
    for (const method of ['GET', 'HEAD']) expect(await snapshots(method, '/photos/b')).toBe(1)
    expect(await snapshots('GET', '/photos')).toBe(1)
    expect(await snapshots('DELETE', '/photos/b')).toBe(0)
    await store.buckets.settings.put('photos', 'Ownership', 'BucketOwnerEnforced')
    expect(await snapshots('GET', '/photos/a')).toBe(2)
    expect(await snapshots('GET', '/photos/a')).toBe(1)
  })
})

import { afterEach, describe, expect, it } from 'vitest'
import type { InterceptedRequest, ServiceHooks } from '../contract/service-hooks.ts'
import { S3Error } from '../errors/errors.ts'
import { rawClient } from '../raw-client.fixture.ts'
import type { RunningServer } from '../server/serve.ts'
import { createIdentity } from '../access/identity-schema.ts'
import { alice, noon } from '../signed-request.fixture.ts'
import { owned, put, request, testServer } from '../test-server.fixture.ts'

let server: RunningServer | undefined

async function answerWith(hooks: ServiceHooks, head: string) {
  server = await testServer({ buckets: owned, objects: { put } }, { hooks })
  const client = await rawClient(server.port)
  client.send(head)
  return client
}

afterEach(() => server?.close({ graceMs: 0 }))

describe('the hooks of a service', () => {
  it('see each request with its operation and its names, and answer in its place', async () => {
    const seen: InterceptedRequest[] = []
    const hooks: ServiceHooks = {
      async intercept(intercepted) {
        seen.push(intercepted)
        throw new S3Error('ServiceUnavailable', 'not today')
      },
    }
    const client = await answerWith(hooks, `${request('PUT', '/bucket/a/key', { body: 'abc' })}abc`)
    expect(await client.until(/<\/Error>/)).toMatch(/^HTTP\/1\.1 503 [^]*<Code>ServiceUnavailable</)
    expect(seen).toMatchObject([{ method: 'PUT', operation: 'PutObject', bucket: 'bucket', key: 'a/key' }])
  })

  it('let requests run, and end their connections', async () => {
    const hooks: ServiceHooks = {
      async intercept({ client }, answer) {
        const result = await answer()
        client.disconnect?.()
        return result
      },
    }
    const client = await answerWith(hooks, `${request('PUT', '/bucket/key', { body: 'abc' })}abc`)
    expect(await client.closed()).toBe('')
  })

  it('find identities that the server does not have, and only those', async () => {
    const hooks: ServiceHooks = {
      intercept: (_, answer) => answer(),
      findIdentity: (accessKeyId) => (accessKeyId === 'KNOWN' ? alice : undefined),
    }
    const signedBy = (accessKeyId: string) => {
      const by = createIdentity({ name: accessKeyId, accessKeyId, secretAccessKey: alice.secretAccessKey })
      return request('PUT', '/bucket/key', { body: 'abc', by })
    }
    const client = await answerWith(hooks, `${signedBy('KNOWN')}abc`)
    expect(await client.until(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 200 /)
    client.send(`${signedBy('OTHER')}abc`)
    expect(await client.until(/InvalidAccessKeyId/)).toContain('403')
  })

  it('say how far clocks may be off', async () => {
    const hooks: ServiceHooks = { intercept: (_, answer) => answer(), maxSkewMs: 365 * 86_400_000 }
    const early = noon - 300 * 86_400_000
    const client = await answerWith(hooks, `${request('PUT', '/bucket/key', { body: 'abc', now: early })}abc`)
    expect(await client.until(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 200 /)
  })
})

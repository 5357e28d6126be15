import { bucketOf, fakeStore } from './fake-store.fixture.ts'
import type { FakeStore } from './fake-store.fixture.ts'
import type { ObjectContent, RequestStore } from '@varve/core'
import { requestHead } from './raw-client.fixture.ts'
import { serve } from './server/serve.ts'
import type { RunningServer } from './server/serve.ts'
import type { ServeOptions } from './server/server-options.ts'
import type { RequestLog } from './contract/request-log.ts'
import { alice, hashing, noon, signedHeaders } from './signed-request.fixture.ts'
import type { RequestFixture } from './signed-request.fixture.ts'

/** A server on any port over a store that the test defines, and the lines that it logged. */
export async function testServer(
  store: FakeStore,
  options: Partial<ServeOptions> = {},
): Promise<RunningServer & { readonly log: readonly RequestLog[] }> {
  const log: RequestLog[] = []
  const server = await serve({
    store: fakeStore(store),
    identities: [alice],
    hashing,
    now: () => noon,
    port: 0,
    log: (entry) => log.push(entry),
    ...options,
  })
  return { ...server, log }
}

/** A request of alice's as it goes over the wire, without its body. */
export function request(method: string, url: string, fixture: RequestFixture = {}, more: readonly string[] = []) {
  return requestHead(method, url, [...signedHeaders(method, url, fixture), ...more])
}

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** Every bucket is alice's. */
export const owned = { head: async () => bucketOf('alice') }

const written = { etag: '0'.repeat(32), size: 3, seq: 1, versionId: 'null', lastModified: new Date(0) }

/** Takes a body in and forgets it. */
export const put: RequestStore['objects']['put'] = async (_bucket, _key, body) => {
  let size = 0
  for await (const chunk of body as AsyncIterable<Uint8Array>) size += chunk.length
  return { ...written, size }
}

export function objectOf(size: number, body: AsyncIterable<Uint8Array>): ObjectContent {
  const close = async () => undefined
  const nothing = async () => {
    throw new Error('The server reads streams.')
  }
  const place = { bucket: 'bucket', key: 'key', owner: { id: 'alice', name: 'alice' }, metadata: {} }
  return { ...place, ...written, size, body, buffered: undefined, close, bytes: nothing, text: nothing }
}

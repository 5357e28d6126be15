/** The server fills the buffers of large objects again and again: no client ever sees bytes of another's. */
import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createHandler, createIdentity, presign } from '../http.ts'
import { openStore, type Store } from '../index.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'

const credentials = { accessKeyId: 'root-key', secretAccessKey: 'root-secret' }
const identities = [createIdentity({ name: 'root', ...credentials, root: true })]
const scratch = scratchDirectory()
const objects = 6
const bodies = Array.from({ length: objects }, (_, i) => Buffer.alloc(2.5 * 1024 * 1024 + i, `the object ${i}, `))
let store: Store

beforeAll(async () => {
  store = await openStore(scratch.next())
  await store.buckets.create('box')
  for (const [i, body] of bodies.entries()) await store.objects.put('box', `k${i}`, body)
})
afterAll(() => store.close())

function presigned(host: string, key: string): string {
  const request = { method: 'GET', rawPath: `/box/${key}`, headers: [['host', host]] } as const
  const options = { ...credentials, region: 'eu', now: Date.now(), expiresSeconds: 60 }
  return `http://${host}/box/${key}?${presign(request, options).rawQuery}`
}

/** A third take all they can, a third stop for a moment again and again, a third go away. */
async function take(host: string, n: number): Promise<boolean> {
  const [response] = (await once(get(presigned(host, `k${n % objects}`)), 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of response) {
    chunks.push(chunk as Buffer)
    if (n % 3 === 1 && chunks.length % 8 === 0) await delay(1)
    if (n % 3 === 2 && chunks.length === 10) return false
  }
  expect(Buffer.concat(chunks).equals(bodies[n % objects] as Buffer)).toBe(true)
  return true
}

// More than Node queues by itself is what a server of one's own may queue: then nothing is filled again too early, either.
it.each([undefined, 4 * 1024 * 1024])('clients at once get their own bytes, with %o bytes of queue', async (queue) => {
  const { request } = await createHandler({ store, identities })
  const server = createServer({ ...(queue && { highWaterMark: queue }) }, request).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    const whole = await Promise.all(Array.from({ length: 48 }, (_, n) => take(host, n)))
    expect(whole.filter(Boolean)).toHaveLength(32)
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

/** Long work that a client requests over HTTP, and that does not need the client any more. */
import { createHash } from 'node:crypto'
import { request } from 'node:http'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { RecordedEvent, Store } from '@varve/core'
import { createIdentity, type RunningServer, serve, signRequest } from '../http.ts'
import { memoryStore } from '../store/memory-store.ts'

const root = createIdentity({ name: 'root', accessKeyId: 'KEYroot', secretAccessKey: 'secret of root', root: true })
const keys = 300

let store: Store
let server: RunningServer
beforeEach(async () => {
  store = await memoryStore({ retentionMs: 86_400_000 })
  server = await serve({ store, controlStore: () => store, identities: [root], port: 0 })
})
afterEach(async () => {
  await server.close({ graceMs: 0 })
  await store.close()
})

/** Sends a request, and leaves when `leave` is called. */
function call(path: string, arguments_: object): { readonly leave: () => void } {
  const { port } = new URL(server.url)
  const body = JSON.stringify(arguments_)
  const payloadHash = createHash('sha256').update(body).digest('hex')
  const { accessKeyId, secretAccessKey } = root
  const signing = { accessKeyId, secretAccessKey, region: 'us-east-1', now: Date.now(), payloadHash }
  const headers = [['host', `127.0.0.1:${port}`] as const]
  const rawPath = `/-/v1/${path}`
  const signed = signRequest({ method: 'POST', rawPath, rawQuery: '', headers }, signing)
  const sent = request({ port, method: 'POST', path: rawPath, headers: Object.fromEntries(signed.headers) })
  sent.on('error', () => undefined).end(body)
  return { leave: () => void sent.destroy() }
}

async function next(type: 'TaskStarted' | 'TaskEnded', from: number): Promise<RecordedEvent> {
  for await (const event of store.log({ from, types: [type], follow: true })) return event
  throw new Error('The log has ended.')
}

const works: Readonly<Record<string, () => Promise<object>>> = {
  undo: async () => ({ requestIds: [(await store.deletePrefix('box', '')).id] }),
  async restore() {
    const to = store.seq
    await store.deletePrefix('box', '')
    return { bucket: 'box', to }
  },
  async merge() {
    await store.buckets.fork('box', 'box-try')
    for (let i = 0; i < keys; i++) await store.objects.put('box-try', `k${i}`, 'merged')
    return { fork: 'box-try' }
  },
}

it.each(Object.entries(works))('%s goes on when the client has left, if it is detached', async (path, prepare) => {
  await store.buckets.create('box')
  for (let i = 0; i < keys; i++) await store.objects.put('box', `k${i}`, 'x')
  const input = await prepare()
  const from = store.seq + 1
  const { leave } = call(path, { ...input, inParts: true, partSize: 1, detached: true })
  const started = await next('TaskStarted', from)
  leave()
  const ended = await next('TaskEnded', from)
  expect(ended.data).toEqual({ id: started.requestId, outcome: 'done' })
  expect((await store.objects.listPage('box')).entries.length).toBe(keys)
  expect(await (await store.objects.get('box', 'k0')).text()).toBe(path === 'merge' ? 'merged' : 'x')
})

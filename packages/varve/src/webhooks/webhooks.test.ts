import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { chmod, readdir, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { NotificationRecord } from '@varve/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { memoryStore } from '../store/memory-store.ts'
import { openStore } from '../store/open-store.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import type { Store } from '@varve/core'
import { deliver, deliveryDefaults } from './deliver.ts'
import { loadWebhookFile } from './webhook-file.ts'
import type { Webhook } from './webhook.ts'

const scratch = scratchDirectory()
const arn = 'arn:varve:sqs:::hook'

/** Refuses the first `refusals` deliveries, and keeps what it accepted afterwards. */
class Receiver {
  readonly delivered: string[] = []
  readonly headers: string[] = []
  refusals = 0
  attempts = 0
  #server: Server | undefined

  async start(): Promise<Webhook> {
    const server = createServer((request, response) => void this.#take(request, response))
    this.#server = server
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    return { arn, url, headers: { authorization: 'secret' } }
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    this.attempts++
    this.headers.push(request.headers.authorization ?? '')
    if (this.refusals-- > 0) return void response.writeHead(503).end('no')
    const { Records } = JSON.parse(text) as { Records: NotificationRecord[] }
    this.delivered.push(...Records.map(({ eventName, s3 }) => `${eventName} ${s3.object.key}`))
    response.writeHead(204).end()
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections()
    await new Promise((resolve) => this.#server?.close(resolve))
  }

  async until(count: number): Promise<void> {
    for (const end = Date.now() + 10_000; this.delivered.length < count && Date.now() < end; ) {
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
}

let receiver: Receiver
let webhook: Webhook

beforeEach(async () => {
  receiver = new Receiver()
  webhook = await receiver.start()
})
afterEach(() => receiver.stop())

const notify = (store: Store) =>
  store.buckets.settings.put('box', 'Notifications', {
    targets: [{ id: 'hook', kind: 'Queue', arn, events: ['s3:ObjectCreated:*'] }],
  })

describe('a webhook', () => {
  it('receives events in the order of the log, also those from while it was not served', async () => {
    const dir = scratch.next()
    const first = await openStore(dir, { webhooks: [webhook] })
    await first.buckets.create('box')
    await notify(first)
    await first.objects.put('box', 'one', 'v')
    await receiver.until(1)
    await first.close()
    const without = await openStore(dir)
    await without.objects.put('box', 'two', 'v')
    await without.objects.put('box', 'three', 'v')
    await without.close()
    const second = await openStore(dir, { webhooks: [webhook] })
    while (receiver.delivered.at(-1) !== 'ObjectCreated:Put three') await receiver.until(receiver.delivered.length + 1)
    await second.close()
    // The store was closed while the receiver accepted an event, so the event may be delivered once more.
    const delivered = receiver.delivered.filter((one, i) => one !== receiver.delivered[i - 1])
    expect(delivered).toEqual(['one', 'two', 'three'].map((key) => `ObjectCreated:Put ${key}`))
    expect(new Set(receiver.headers)).toEqual(new Set(['secret']))
  })

  it('does not receive events from before it was added', async () => {
    const dir = scratch.next()
    const before = await openStore(dir)
    await before.buckets.create('box')
    await notify(before)
    await before.objects.put('box', 'old', 'v')
    await before.close()
    const store = await openStore(dir, { webhooks: [webhook] })
    await untilRemembered(dir)
    await store.objects.put('box', 'new', 'v')
    await receiver.until(1)
    await store.close()
    expect(receiver.delivered).toEqual(['ObjectCreated:Put new'])
  })

  it('receives an event again until it accepts it, and no other meanwhile', async () => {
    const store = await memoryStore()
    await store.buckets.create('box')
    await notify(store)
    receiver.refusals = 3
    for (const key of ['one', 'two']) await store.objects.put('box', key, 'v')
    const end = new AbortController()
    const written: number[] = []
    const cursor = { read: async () => 0, write: async (seq: number) => void written.push(seq) }
    const options = { ...deliveryDefaults, retryMs: 1, rememberMs: 0, cursor }
    const delivering = deliver(store, webhook, options, end.signal)
    // An accepted event is delivered for good when its position is written, not when the receiver answers.
    while (written.at(-1) !== store.seq) await new Promise((resolve) => setTimeout(resolve, 5))
    end.abort(new Error('enough'))
    await delivering
    expect(receiver.delivered).toEqual(['ObjectCreated:Put one', 'ObjectCreated:Put two'])
    expect(receiver.attempts).toBe(5)
    expect(written).toEqual([1, 2, 3, 4, 5])
    await store.close()
  })

  it('keeps its position where nothing happens for it, so that it does not read the log again', async () => {
    const store = await memoryStore()
    await store.buckets.create('other')
    const end = new AbortController()
    const written: number[] = []
    const cursor = { read: async () => 0, write: async (seq: number) => void written.push(seq) }
    const delivering = deliver(store, webhook, { ...deliveryDefaults, rememberMs: 0, cursor }, end.signal)
    for (let i = 0; i < 5; i++) await store.objects.put('other', 'k', 'v')
    while (written.at(-1) !== store.seq) await new Promise((resolve) => setTimeout(resolve, 5))
    end.abort(new Error('enough'))
    await delivering
    expect(receiver.attempts).toBe(0)
    await store.close()
  })

  it('receives everything again when the stored position is damaged', async () => {
    const dir = scratch.next()
    const first = await openStore(dir, { webhooks: [webhook] })
    await first.buckets.create('box')
    await notify(first)
    await first.objects.put('box', 'one', 'v')
    await receiver.until(1)
    await first.close()
    const [name = ''] = await readdir(join(dir, 'webhooks'))
    await writeFile(join(dir, 'webhooks', name), '{"seq": "x"}')
    const second = await openStore(dir, { webhooks: [webhook] })
    await receiver.until(2)
    await second.close()
    expect(receiver.delivered.slice(0, 2)).toEqual(['ObjectCreated:Put one', 'ObjectCreated:Put one'])
  })

  it.each<readonly [string, Webhook]>([
    ['an ARN', { arn: 'hook', url: 'http://h/' }],
    ['a URL', { arn, url: 'ftp://h/' }],
    ['headers', { arn, url: 'http://h/', headers: { 'a b': 'c' } }],
  ])('has %s that can be used', async (_, wrong) => {
    await expect(openStore(scratch.next(), { webhooks: [wrong] })).rejects.toMatchObject({ code: 'InvalidArgument' })
  })
})

async function untilRemembered(dir: string): Promise<void> {
  while ((await readdir(join(dir, 'webhooks')).catch(() => [])).length === 0) {
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

describe('a file of webhooks', () => {
  const written = async (text: string, mode = 0o600) => {
    const path = scratch.next()
    await writeFile(path, text, { mode })
    await chmod(path, mode)
    return path
  }

  it('names them', async () => {
    const webhooks = [{ arn, url: 'https://h/', headers: { authorization: 'x' } }]
    expect(await loadWebhookFile(await written(JSON.stringify({ webhooks })))).toEqual(webhooks)
  })

  it.each([
    ['is not JSON', '{'],
    ['has unknown fields', '{"webhooks": [], "more": 1}'],
    ['names none', '{}'],
    ['names something else', '{"webhooks": [1]}'],
    ['names one without a URL', `{"webhooks": [{"arn": "${arn}"}]}`],
    ['has headers that are no text', `{"webhooks": [{"arn": "${arn}", "url": "http://h/", "headers": {"a": 1}}]}`],
    ['names one twice', `{"webhooks": [${Array(2).fill(`{"arn": "${arn}", "url": "http://h/"}`).join()}]}`],
  ])('that %s is refused', async (_, text) => {
    await expect(loadWebhookFile(await written(text))).rejects.toMatchObject({ code: 'InvalidArgument' })
  })

  it.skipIf(process.platform === 'win32')('that others can read is refused', async () => {
    await expect(loadWebhookFile(await written('{"webhooks": []}', 0o644))).rejects.toThrow('open to others')
  })
})

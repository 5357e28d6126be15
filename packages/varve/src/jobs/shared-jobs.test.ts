/** Jobs of several stores on one journal: one of them does each, and another when that one is gone. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { memoryBlobs, memoryJournal, memoryMedium } from '@varve/adapters'
import type { NotificationRecord, Store } from '@varve/core'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openOnParts } from '../store/open-on-parts.ts'
import { openStore } from '../store/open-store.ts'
import { partsStoreOptions, type PartsStoreOptions } from '../store/store-options.ts'
import type { Webhook } from '../webhooks/webhook.ts'

const arn = 'arn:varve:sqs:::hook'
const waiting = { timeout: 20_000, interval: 20 }

let server: Server
let webhook: Webhook
let delivered: string[]

beforeEach(async () => {
  delivered = []
  server = createServer((request, response) => void receive(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  webhook = { arn, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
})
afterEach(() => new Promise((resolve) => server.close(resolve)))

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  const { Records } = JSON.parse(text) as { Records: readonly NotificationRecord[] }
  delivered.push(...Records.map(({ s3 }) => s3.object.key))
  response.writeHead(204).end()
}

/** What the receiver had taken when its store was closed may come again. */
const once = (keys: readonly string[]): readonly string[] => [...new Set(keys)]

/** Opens stores on one journal. */
function journalOf() {
  const [medium, blobs] = [memoryMedium(), memoryBlobs()]
  return async (options: PartsStoreOptions): Promise<Store> =>
    openStore({ journal: await memoryJournal(medium), blobs }, { sweepEveryMs: 0, lifecycle: false, ...options })
}

describe('stores on one journal', () => {
  it('deliver in order, and go on when the one that delivered is gone', async () => {
    const open = journalOf()
    const [one, other] = [await open({ webhooks: [webhook] }), await open({ webhooks: [webhook] })]
    await one.buckets.create('box')
    const targets = [{ id: 'hook', kind: 'Queue', arn, events: ['s3:ObjectCreated:*'] }] as const
    await one.buckets.settings.put('box', 'Notifications', { targets })
    for (const [n, store] of [one, other, one, other].entries()) await store.objects.put('box', `k${n}`, 'x')
    await vi.waitFor(() => expect(once(delivered)).toEqual(['k0', 'k1', 'k2', 'k3']), waiting)
    expect(delivered).toHaveLength(4)
    await one.close()
    await other.objects.put('box', 'k4', 'x')
    await vi.waitFor(() => expect(once(delivered)).toEqual(['k0', 'k1', 'k2', 'k3', 'k4']), waiting)
    await other.close()
    const without = await open({})
    await without.objects.put('box', 'k5', 'x')
    await without.close()
    const last = await open({ webhooks: [webhook] })
    await vi.waitFor(() => expect(once(delivered)).toEqual(['k0', 'k1', 'k2', 'k3', 'k4', 'k5']), waiting)
    expect((await last.verify()).divergences).toEqual([])
    await last.close()
  })

  it('scrub once in a period between them', async () => {
    const open = journalOf()
    const onPass = vi.fn()
    const scrub = { bytesPerSecond: 2 ** 40, everyMs: 3_600_000, onPass }
    const stores = [await open({ scrub }), await open({ scrub })]
    await vi.waitFor(() => expect(onPass).toHaveBeenCalledTimes(1), waiting)
    for (const store of stores) await store.close()
    const again = await open({ scrub })
    await new Promise((resolve) => setTimeout(resolve, 200))
    await again.close()
    expect(onPass).toHaveBeenCalledTimes(1)
  })

  it('remove orphans once in a period, and never what is in use', async () => {
    const [medium, blobs] = [memoryMedium(), memoryBlobs()]
    const orphan = 'a'.repeat(32)
    const leave = () =>
      blobs.write(
        orphan,
        (async function* () {
          yield new Uint8Array(10)
        })(),
      )
    await leave()
    const options = partsStoreOptions({ sweepEveryMs: 0, lifecycle: false, inlineMax: 0 })
    const open = async () =>
      openOnParts({ journal: await memoryJournal(medium), blobs }, options, { orphansEveryMs: 3_600_000 })
    const ids = async () => {
      const found = []
      for await (const id of blobs.list()) found.push(id)
      return found
    }
    const stores = [await open(), await open()]
    await vi.waitFor(async () => expect(await ids()).not.toContain(orphan), waiting)
    await stores[0]?.buckets.create('box')
    await stores[0]?.objects.put('box', 'k', 'kept')
    for (const store of stores) await store.close()
    await leave()
    const again = await open()
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(await ids()).toContain(orphan)
    expect(await (await again.objects.get('box', 'k')).text()).toBe('kept')
    await again.close()
  })
})

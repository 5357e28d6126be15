import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { memoryStore, type Store } from '../index.ts'
import { createIdentity, type RunningServer, serve } from '../http.ts'
import { createMetrics, type Metrics } from '../metrics.ts'

const identity = createIdentity({ name: 'root', accessKeyId: 'ROOTKEY', secretAccessKey: 'a-secret-of-some-length' })
let store: Store
let metrics: Metrics
let server: RunningServer | undefined

beforeEach(async () => {
  metrics = createMetrics({ store: () => store, process: false })
  store = await memoryStore({ observer: metrics.observer })
})

afterEach(async () => {
  await server?.close({ graceMs: 0 })
  server = undefined
  await store.close()
})

async function start(token?: string): Promise<string> {
  const given = { ...metrics, ...(token !== undefined && { token }) }
  server = await serve({ store, identities: [identity], port: 0, metrics: given, observer: metrics.observer })
  return server.url
}

/** The values by name and labels, as they are written. */
async function values(text: Promise<string> = metrics.text()): Promise<ReadonlyMap<string, number>> {
  const lines = (await text).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]))
}

/** The number of commands and of events so far. */
async function counted(of = metrics): Promise<readonly [commands: number, events: number]> {
  // Measurements arrive up to 10 ms later.
  await new Promise((resolve) => setTimeout(resolve, 30))
  const found = await values(of.text())
  return [found.get('varve_commands_total{outcome="accepted"}') ?? 0, found.get('varve_events_total') ?? 0]
}

describe('metrics of a store', () => {
  it('count its commands and events, and know its bytes at the first scrape', async () => {
    const [commands, events] = await counted()
    const before = store.seq
    await store.buckets.create('photos')
    await store.objects.put('photos', 'a', 'twelve bytes')
    await expect(store.buckets.create('photos')).rejects.toThrow()
    await expect.poll(async () => (await values()).get('varve_commands_total{outcome="refused"}')).toBe(1)
    const found = await values()
    expect(await counted()).toEqual([commands + 2, events + store.seq - before])
    expect(found.get('varve_log_position')).toBe(store.seq)
    expect(found.get('varve_store_bytes{kind="live"}')).toBe(12)
    expect(found.get('varve_store_up')).toBe(1)
  })

  it('show the lag of subscriptions, and no more when they are gone', async () => {
    const stop = new AbortController()
    for await (const batch of store.subscribe('index', { from: 0, signal: stop.signal })) {
      await batch.acknowledge()
      stop.abort()
    }
    const lag = async () => (await values()).get('varve_subscription_lag_events{subscription="index"}')
    expect(await lag()).toBe(0)
    await store.buckets.create('photos')
    expect(await lag()).toBe(1)
    await store.subscriptions.drop('index')
    expect(await lag()).toBeUndefined()
  })

  it('count the damage that was found', async () => {
    metrics.damage('BlobCorrupt')
    metrics.damage('BlobCorrupt')
    expect((await values()).get('varve_damage_found_total{code="BlobCorrupt"}')).toBe(2)
    expect(() => metrics.damage('')).toThrow(expect.objectContaining({ code: 'InvalidArgument' }))
  })

  it('name the node, and show how it uses its database', async () => {
    const database = { silentMs: 250, work: { used: 1, waiting: 0 }, snapshots: { used: 8, waiting: 3 } }
    const node = { name: 'one', database: () => database }
    const found = await values(createMetrics({ store: () => store, node: () => node, process: false }).text())
    expect(found.get('varve_node_info{node="one"}')).toBe(1)
    expect(found.get('varve_database_silent_seconds')).toBe(0.25)
    expect(found.get('varve_database_connections{use="snapshots",state="waiting"}')).toBe(3)
    expect([found.get('varve_cluster_members'), found.get('varve_witness_lag_seconds')]).toEqual([0, 0])
    expect([...(await values()).keys()].filter((name) => /_(node|database)_/.test(name))).toEqual([])
  })

  it('that cannot be read in time leave the others, and are read once', async () => {
    let reads = 0
    const slow = { ...store, state: 'open', usage: () => new Promise(() => void reads++) } as unknown as Store
    const late = createMetrics({ store: () => slow, process: false })
    for (let i = 0; i < 2; i++) expect((await values(late.text())).get('varve_store_up')).toBe(1)
    expect(reads).toBe(1)
  })

  it('say that a closed store is down', async () => {
    await store.close()
    const found = await values()
    expect([found.get('varve_store_open'), found.get('varve_store_up')]).toEqual([0, 0])
  })

  it('are OpenMetrics: each has a type, and the text has its end', async () => {
    await store.buckets.create('photos')
    const text = await metrics.text()
    expect(metrics.contentType).toMatch(/^application\/openmetrics-text; version=1.0.0/)
    expect(text.endsWith('# EOF\n')).toBe(true)
    const types = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name))
    const families = [...(await values()).keys()].map((name) => name.replace(/\{.*/, ''))
    const unknown = families.filter(
      (name) => !types.has(name.replace(/_(total|sum|count|bucket)$/, '')) && !types.has(name),
    )
    expect(unknown).toEqual([])
  })

  it('of two stores in one process do not add up', async () => {
    const others = createMetrics({ process: false })
    const other = await memoryStore({ observer: others.observer })
    const before = await counted()
    await other.buckets.create('photos')
    await other.close()
    expect(await counted()).toEqual(before)
    expect(await counted(others)).not.toEqual(before)
  })

  it.each([{ store: 5 }, { process: 'yes' }, { other: 1 }])('refuse wrong options: %j', (options) => {
    expect(() => createMetrics(options as never)).toThrow(expect.objectContaining({ code: 'InvalidArgument' }))
  })
})

describe('a server with metrics', () => {
  it('answers GET and HEAD of /-/metrics to anyone', async () => {
    const url = await start()
    await fetch(`${url}/photos/a`)
    const answer = await fetch(`${url}/-/metrics`)
    expect(answer.headers.get('content-type')).toBe(metrics.contentType)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    await expect
      .poll(async () => (await values()).get('varve_requests_total{operation="GetObject",status="404"}'))
      .toBe(1)
    const head = await fetch(`${url}/-/metrics`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  it('knows its open connections', async () => {
    const url = await start()
    const open = async () => (await values()).get('varve_connections')
    const [first, second] = [new Agent({ keepAlive: true }), new Agent({ keepAlive: true })]
    for (const agent of [first, second]) {
      const sent = request(`${url}/-/health`, { agent })
      sent.end()
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      await once(response.resume(), 'end')
    }
    await expect.poll(open).toBe(2)
    first.destroy()
    await expect.poll(open).toBe(1)
    second.destroy()
    await expect.poll(open).toBe(0)
  })

  it('with a token answers only to those who have it', async () => {
    const url = await start('a-token-of-some-length')
    const status = async (authorization?: string) =>
      (await fetch(`${url}/-/metrics`, { headers: authorization === undefined ? {} : { authorization } })).status
    expect(await status()).toBe(401)
    expect(await status('Bearer another-token')).toBe(401)
    expect(await status('Basic a-token-of-some-length')).toBe(401)
    expect(await status('Bearer a-token-of-some-length')).toBe(200)
  })

  it('says so when they cannot be collected, and goes on', async () => {
    metrics = { ...metrics, text: () => Promise.reject(new Error('out of order')) }
    const url = await start()
    expect((await fetch(`${url}/-/metrics`)).status).toBe(500)
    expect((await fetch(`${url}/-/health`)).status).toBe(200)
  })

  it('does not know the path without them', async () => {
    server = await serve({ store, identities: [identity], port: 0 })
    expect((await fetch(`${server.url}/-/metrics`)).status).toBe(400)
  })

  it.each([
    { text: 'no function' },
    { contentType: 5, text: () => '' },
    { contentType: '', text: () => '', token: 'a b' },
  ])('refuses wrong ones: %j', async (wrong) => {
    const started = serve({ store, identities: [], port: 0, metrics: wrong as never })
    await expect(started).rejects.toMatchObject({ code: 'InvalidArgument' })
  })
})

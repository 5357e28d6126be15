import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { rawClient } from '../raw-client.fixture.ts'
import { OneAtATime } from './one-at-a-time.ts'
import { owned, pause, request, testServer } from '../test-server.fixture.ts'

let server: Awaited<ReturnType<typeof testServer>> | undefined
afterEach(async () => {
  await server?.close({ graceMs: 0 })
  server = undefined
})

/** Counts listings under way, and holds each for a moment. */
function slowListings(ms = 2) {
  const seen = { underWay: 0, most: 0, all: 0 }
  const listPage = async () => {
    seen.all++
    seen.underWay++
    seen.most = Math.max(seen.most, seen.underWay)
    await pause(ms)
    seen.underWay--
    return { entries: [], isTruncated: false, nextAfter: undefined }
  }
  return { seen, store: { buckets: owned, objects: { listPage } } }
}

const listing = request('GET', '/bucket')
const answersIn = (text: string): number => text.match(/HTTP\/1\.1 200 /g)?.length ?? 0

describe('requests of a connection that do not wait for answers', () => {
  it('are answered in order, one at a time', async () => {
    const { seen, store } = slowListings()
    server = await testServer(store)
    const client = await rawClient(server.port)
    client.send(listing.repeat(40))
    while (answersIn(client.received()) < 40) await pause(5)
    expect(seen).toEqual({ underWay: 0, most: 1, all: 40 })
    client.socket.destroy()
  })

  it('are taken up to a bound: the last answer ends the connection', async () => {
    const { seen, store } = slowListings()
    server = await testServer(store)
    const client = await rawClient(server.port)
    client.send(listing.repeat(400))
    const text = await client.closed()
    expect(seen.most).toBe(1)
    expect(answersIn(text)).toBe(seen.all)
    expect(seen.all).toBeLessThanOrEqual(65)
    expect(text.toLowerCase().match(/connection: close/g)).toHaveLength(1)
    expect(text.toLowerCase().lastIndexOf('connection: close')).toBeGreaterThan(text.lastIndexOf('HTTP/1.1 200'))
  })

  it('are kept for all connections up to a bound: beyond it a connection ends at once, and others are served', async () => {
    // Slow enough that all requests arrive before many are answered, which would make room for more.
    const { seen, store } = slowListings(30)
    server = await testServer(store)
    const clients = await Promise.all(Array.from({ length: 24 }, () => rawClient(server?.port ?? 0)))
    for (const client of clients) client.send(listing.repeat(200))
    const texts = await Promise.all(clients.map((client) => client.closed()))
    expect(seen.all).toBeLessThan(1024 + 2 * clients.length)
    expect(texts.map(answersIn).filter((answers) => answers === 65).length).toBeLessThan(20)
    const another = await rawClient(server.port)
    another.send(listing.repeat(40))
    while (answersIn(another.received()) < 40) await pause(5)
    another.socket.destroy()
  })

  it('are not even parsed beyond the bound', async () => {
    const lines = new OneAtATime()
    let parsed = 0
    const node = createServer((_, response) => {
      parsed++
      lines.take(response, () => setTimeout(() => response.end(), 1))
    })
    await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve))
    const client = await rawClient((node.address() as AddressInfo).port)
    client.send('GET / HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(2000))
    while (answersIn(client.received()) < 65) await pause(5)
    // Where the bytes come in pieces, an answer in between makes room for one more.
    expect(parsed).toBeLessThan(2 * 66)
    client.socket.destroy()
    node.close()
  })

  it('are not begun when the client is gone', async () => {
    const { seen, store } = slowListings()
    server = await testServer(store)
    const client = await rawClient(server.port)
    client.send(listing.repeat(40))
    await client.until(/HTTP\/1\.1 200 /)
    client.socket.destroy()
    await pause(100)
    expect(seen.all).toBeLessThan(10)
  })
})

import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createConnectionServer } from './connection-server.ts'
import type { ConnectionServer } from './connection-server.ts'
import type { LimitOptions } from './server-options.ts'
import { fakeStore } from '../fake-store.fixture.ts'
import { rawClient } from '../raw-client.fixture.ts'
import { alice, hashing, noon } from '../signed-request.fixture.ts'
import { owned, pause, put, request } from '../test-server.fixture.ts'

const ended: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ended.splice(0)) await end()
})

/** A server, and a listener that takes the connections for it. */
async function serverBehindAnother(
  options: Partial<LimitOptions> = {},
): Promise<{ readonly server: ConnectionServer; readonly port: number }> {
  const store = fakeStore({ buckets: owned, objects: { put } })
  const server = createConnectionServer({ store, identities: [alice], hashing, now: () => noon, ...options })
  const listener = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (connection: Socket) => {
    connection.allowHalfOpen = false
    setImmediate(() => {
      server.take(connection)
      connection.resume()
    })
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => listener.once('listening', resolve))
  ended.push(() => server.close({ graceMs: 100 }))
  ended.push(() => new Promise((resolve) => listener.close(resolve)))
  return { server, port: (listener.address() as AddressInfo).port }
}

const health = 'GET /-/health HTTP/1.1\r\nhost: h\r\n\r\n'

describe('a server for connections that another took', () => {
  it('answers on them, one request after the other', async () => {
    const { port } = await serverBehindAnother()
    const client = await rawClient(port)
    client.send(health)
    await client.until(/^HTTP\/1.1 200 [^]*open/)
    client.send(`${request('PUT', '/bucket/key', { body: 'abc' })}abc`)
    await client.until(/HTTP\/1.1 200 [^]*HTTP\/1.1 200 /)
    client.socket.destroy()
  })

  it('answers a client that has sent all it will', async () => {
    const { port } = await serverBehindAnother()
    const client = await rawClient(port)
    client.socket.end(health)
    expect(await client.closed()).toMatch(/^HTTP\/1.1 200 /)
  })

  it('ends connections whose head does not come', async () => {
    const { port } = await serverBehindAnother({ headersTimeoutMs: 300 })
    const client = await rawClient(port)
    client.send('GET / HTTP/1.1\r\nhost')
    expect(await client.closed()).toMatch(/^HTTP\/1.1 (400|408) /)
  })

  it('closes those that are one too many while all others are in use, and takes others when some have gone', async () => {
    const { port } = await serverBehindAnother({ connectionsMax: 1 })
    const first = await rawClient(port)
    first.send(`${request('PUT', '/bucket/key', { body: 'abc' })}a`)
    await pause(100)
    const second = connect(port, '127.0.0.1').on('error', () => undefined)
    await new Promise((resolve) => second.once('close', resolve))
    first.socket.destroy()
    await expect
      .poll(async () => {
        const third = await rawClient(port)
        third.send(health)
        const answer = await third.until(/200/).catch(() => 'closed')
        third.socket.destroy()
        return answer
      })
      .toMatch(/^HTTP\/1.1 200 /)
  })

  it('lets what is under way finish when it closes, and takes nothing more', async () => {
    const { server, port } = await serverBehindAnother()
    const client = await rawClient(port)
    client.send(`${request('PUT', '/bucket/key', { body: 'abc' })}a`)
    await pause(100)
    const closed = server.close({ graceMs: 5000 })
    const late = await rawClient(port)
    expect(await late.closed()).toBe('')
    client.send('bc')
    expect(await client.closed()).toMatch(/^HTTP\/1.1 200 [^]*connection: close/i)
    await closed
  })
})

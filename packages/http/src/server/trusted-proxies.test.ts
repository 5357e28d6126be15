import type { IncomingMessage } from 'node:http'
import { describe, expect, it, vi } from 'vitest'
import { rawClient } from '../raw-client.fixture.ts'
import { owned, pause, put, request as signed, testServer } from '../test-server.fixture.ts'
import { turn } from '../turns/turn.ts'
import { senderBehind } from './trusted-proxies.ts'

interface Sent {
  readonly from: string
  readonly encrypted?: boolean
  readonly path?: string | string[]
  readonly scheme?: string
}

const request = ({ from, encrypted = false, path, scheme }: Sent) =>
  ({
    socket: { remoteAddress: from, encrypted },
    headers: { ...(path && { 'x-forwarded-for': path }), ...(scheme && { 'x-forwarded-proto': scheme }) },
  }) as unknown as IncomingMessage

const senderOf = (proxies: readonly string[], sent: Sent) => senderBehind(proxies)(request(sent))
const addressOf = (proxies: readonly string[], sent: Sent) => senderOf(proxies, sent).address

describe('the sender of a request', () => {
  it('is the peer of the connection, whatever headers it sends, where no proxy is named', () => {
    const sent = { from: '198.51.100.7', path: '203.0.113.9', scheme: 'https' }
    expect(senderOf([], sent)).toEqual({ address: '198.51.100.7', secure: false })
    expect(senderOf(['10.0.0.0/8'], sent)).toEqual({ address: '198.51.100.7', secure: false })
  })

  it('is the address that a named proxy reports', () => {
    expect(addressOf(['10.0.0.0/8'], { from: '10.0.0.2', path: '203.0.113.9' })).toBe('203.0.113.9')
    expect(addressOf(['10.0.0.2'], { from: '::ffff:10.0.0.2', path: '203.0.113.9' })).toBe('203.0.113.9')
    expect(addressOf(['2001:db8::/32'], { from: '2001:db8::2', path: '2001:db9::1' })).toBe('2001:db9::1')
  })

  it('is the first that is no named proxy, seen from here: what stands before it anybody can have written', () => {
    const path = '127.0.0.1, 203.0.113.9, 10.0.0.3'
    expect(addressOf(['10.0.0.0/8'], { from: '10.0.0.2', path })).toBe('203.0.113.9')
    expect(addressOf(['10.0.0.0/8'], { from: '10.0.0.2', path: ['127.0.0.1', '203.0.113.9'] })).toBe('203.0.113.9')
    expect(addressOf(['10.0.0.0/8'], { from: '10.0.0.2', path: '10.0.0.4, 10.0.0.3' })).toBe('10.0.0.4')
  })

  it.each([
    ['203.0.113.9:4711', '203.0.113.9'],
    ['[2001:db8::1]:4711', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['unknown', '10.0.0.2'],
    ['203.0.113.9, unknown', '10.0.0.2'],
    [' , ', '10.0.0.2'],
  ])('read from %j is %s', (path, address) => {
    expect(addressOf(['10.0.0.0/8'], { from: '10.0.0.2', path })).toBe(address)
  })

  it('came over a secure connection if the last proxy reports one, or reports nothing and has one itself', () => {
    const proxies = ['10.0.0.0/8']
    expect(senderOf(proxies, { from: '10.0.0.2', scheme: 'https' }).secure).toBe(true)
    expect(senderOf(proxies, { from: '10.0.0.2', scheme: 'https, http' }).secure).toBe(false)
    expect(senderOf(proxies, { from: '10.0.0.2', encrypted: true }).secure).toBe(true)
    expect(senderOf(proxies, { from: '10.0.0.2', encrypted: true, scheme: 'http' }).secure).toBe(false)
  })

  it.each(['proxy.example.org', '10.0.0.0/33', ''])('refuses %j as a proxy', (text) => {
    expect(() => senderBehind([text])).toThrow(expect.objectContaining({ code: 'InvalidArgument' }))
  })
})

describe('clients of a trusted proxy', () => {
  it('have turns of their own, for requests and for bodies, and so has each network of 64 bits', async () => {
    const server = await testServer({ buckets: owned, objects: { put } }, { trustedProxies: ['127.0.0.1'] })
    const over = vi.spyOn(turn, 'isOver', 'get').mockReturnValue(true)
    const requested = vi.spyOn(turn, 'next')
    const client = await rawClient(server.port)
    for (const address of ['203.0.113.9', '2001:db8::1', '2001:db8::2']) {
      const head = signed('PUT', '/bucket/key', { body: 'abc' }, ['x-forwarded-for', address])
      const before = client.received().length
      client.send(`${head}abc`)
      while (!/\r\n\r\n/.test(client.received().slice(before))) await pause(2)
    }
    expect([...new Set(requested.mock.calls.map(([holder]) => holder))]).toEqual(['203.0.113.9', '2001:db8:0:0::/64'])
    for (const spy of [over, requested]) spy.mockRestore()
    client.socket.destroy()
    await server.close({ graceMs: 0 })
  })
})

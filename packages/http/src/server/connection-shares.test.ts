import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rawClient } from '../raw-client.fixture.ts'
import { owned, pause, put, request, testServer } from '../test-server.fixture.ts'
import { shareOf } from '../addresses/share-of.ts'
import { ConnectionShares } from './connection-shares.ts'

let port = 0
class FakeSocket extends EventEmitter {
  readonly remotePort = ++port
  readonly remoteAddress: string
  destroyed = false
  constructor(remoteAddress: string) {
    super()
    this.remoteAddress = remoteAddress
  }
  destroy(): void {
    this.destroyed = true
    this.emit('close')
  }
}

const socket = (address: string) => new FakeSocket(address) as unknown as Socket & FakeSocket
const admitAll = (shares: ConnectionShares, count: number, address: string) =>
  Array.from({ length: count }, () => {
    const connection = socket(address)
    shares.admit(connection)
    return connection
  })
const open = (connections: readonly FakeSocket[]) => connections.filter(({ destroyed }) => !destroyed).length

describe('shares of connections', () => {
  it('let a newcomer in for the connection that was idle for longest, of the address that has the most', () => {
    const shares = new ConnectionShares({ max: 10 })
    const few = admitAll(shares, 2, '10.0.0.1')
    const many = admitAll(shares, 8, '10.0.0.2')
    shares.busy(many[0] as Socket)
    shares.busy(many[1] as Socket)
    shares.idle(many[1] as Socket)
    expect(shares.admit(socket('10.0.0.3'))).toBe(true)
    expect(many.map(({ destroyed }) => destroyed)).toEqual([false, false, true, ...Array(5).fill(false)])
    expect(open(few)).toBe(2)
  })

  it('let the client with the most connections replace its own idle ones', () => {
    const shares = new ConnectionShares({ max: 10 })
    const others = admitAll(shares, 4, '10.0.0.1')
    const many = admitAll(shares, 12, '10.0.0.2')
    expect([open(others), open(many)]).toEqual([4, 6])
  })

  it('take a busy connection only from a client with more than half', () => {
    const shares = new ConnectionShares({ max: 10 })
    const many = admitAll(shares, 6, '10.0.0.2')
    const half = admitAll(shares, 4, '10.0.0.1')
    for (const connection of [...many, ...half]) shares.busy(connection)
    expect(shares.admit(socket('10.0.0.2'))).toBe(false)
    const newcomer = socket('10.0.0.3')
    expect(shares.admit(newcomer)).toBe(true)
    shares.busy(newcomer)
    expect(open(many)).toBe(5)
    expect(shares.admit(socket('10.0.0.4'))).toBe(false)
  })

  it('take nothing of proxies that are trusted', () => {
    const shares = new ConnectionShares({ max: 10, isExempt: (address) => address === '10.0.0.9' })
    const proxied = admitAll(shares, 9, '10.0.0.9')
    expect(open(admitAll(shares, 5, '10.0.0.1'))).toBe(1)
    expect(open(proxied)).toBe(9)
  })

  it('let every address have one, however many one of them wants: property', () => {
    const step = fc.record({ from: fc.nat(5), times: fc.nat(30), isBusy: fc.boolean() })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const shares = new ConnectionShares({ max: 20 })
        const all: FakeSocket[] = []
        for (const { from, times, isBusy } of steps) {
          const made = admitAll(shares, times, `10.0.0.${from}`)
          if (isBusy && from === 0) for (const connection of made) shares.busy(connection)
          all.push(...made)
          expect(open(all)).toBeLessThanOrEqual(20)
        }
        expect(shares.admit(socket('10.0.9.9'))).toBe(true)
      }),
      { seed: 20260604 },
    )
  })

  it.each([
    ['::ffff:10.1.2.3', '10.1.2.3'],
    ['10.1.2.3', '10.1.2.3'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
    ['2001:0db8::1', '2001:db8:0:0::/64'],
    ['2001:db8::2:3:4:5:6', '2001:db8:0:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('know %s as %s', (address, share) => {
    expect(shareOf(address)).toBe(share)
  })

  it('admit a client where others hold all connections idle', async () => {
    const server = await testServer({ buckets: owned, objects: { put } }, { connectionsMax: 20 })
    const idle = await Promise.all(Array.from({ length: 20 }, () => rawClient(server.port)))
    await pause(50)
    const client = await rawClient(server.port)
    client.send(`${request('PUT', '/bucket/key', { body: 'abc' })}abc`)
    await client.until(/^HTTP\/1\.1 200 /)
    for (const { socket: connection } of [...idle, client]) connection.destroy()
    await server.close({ graceMs: 0 })
  })
})

/**
 * Clients that are slow on purpose, in all three ways at once: heads that do not end, bodies that do not come, answers
 * that are not read. They use bounded memory and delay no other client. They are disconnected in time, and everything
 * they held is freed.
 *
 * SLOW_CLIENTS: how many in each way. SLOW_TIMEOUT=default: with the timeouts that servers have (`npm run suite slow`).
 */
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call } from '../../acceptance/support/call.ts'
import { connect, requestBytes } from '../../acceptance/support/wire.ts'
import { latencies, served, type Served, settled, until } from './served.ts'

const count = Number(process.env['SLOW_CLIENTS'] ?? 50)
const isDefault = process.env['SLOW_TIMEOUT'] === 'default'
const shortMs = 4000
/** The longest of the three. */
const timeoutMs = isDefault ? 60_000 : shortMs
const options = isDefault
  ? {}
  : { headersTimeoutMs: shortMs, idleTimeoutMs: shortMs, minimumSpeed: { bytesPerSecond: 1024, windowMs: shortMs } }
const mebibyte = 1024 ** 2
/** Timeouts are looked for once a second, and so are we. */
const checkingMs = 2000
const measuredMs = isDefault ? 5000 : 1000
/** Below this, a slow request depends more on the machine than on the server. */
const noiseMs = 100
/**
 * In MiB, above what a working server uses: 300 of each kind may use 100 MB. With fewer clients, the memory they use
 * cannot be distinguished from memory that is freed late.
 */
const grownMax = isDefault ? (95 * count) / 300 : 40 + 2 * count

interface Slow {
  readonly socket: Socket
  /** Sends a byte, of those that send some. */
  readonly drip: () => void
}

describe(`${count} clients that are slow in each of three ways`, () => {
  let server: Served
  beforeAll(async () => {
    server = await served(options)
    await call(server, 'PUT /slow')
    await call(server, 'PUT /slow/small', { body: 'small' })
    await call(server, 'PUT /slow/large', { body: Buffer.alloc(32 * mebibyte), payloadHash: 'UNSIGNED-PAYLOAD' })
  }, 120_000)
  afterAll(() => server.stop())

  const ways: Readonly<Record<string, () => Promise<Slow>>> = {
    async head() {
      const { socket, send } = await connect(server)
      send('GET /slow/small HTTP/1.1\r\nhost: ')
      return { socket, drip: () => send('x') }
    },
    async body() {
      const { socket, send } = await connect(server)
      send(requestBytes(server, 'PUT /slow/stalled', { extra: [`content-length: ${mebibyte}`] }))
      return { socket, drip: () => send('x') }
    },
    async reader() {
      const { socket, send } = await connect(server)
      socket.pause()
      send(requestBytes(server, 'GET /slow/large'))
      return { socket, drip: () => undefined }
    },
  }

  it(
    'cost little, delay no other client, and are gone in time',
    async () => {
      // What downloads leave to be collected, and the code they compile, a server has before anybody is slow.
      await Promise.all(Array.from({ length: 16 }, () => download(server)))
      await until(async () => (await server.usage()).sockets === 0, timeoutMs)
      const idle = await server.usage()
      const before = await latencies(server, 'GET /slow/small', measuredMs)
      const clients: Slow[] = []
      for (let i = 0; i < count; i += 1) clients.push(...(await Promise.all(Object.values(ways).map((make) => make()))))
      const dripping = setInterval(() => clients.forEach(({ drip }) => drip()), 500)
      await settled(server, 2 * timeoutMs)
      const began = performance.now()
      const held = await server.usage()
      const during = await latencies(server, 'GET /slow/small', measuredMs)
      await until(async () => (await server.usage()).sockets <= idle.sockets, 2 * timeoutMs + checkingMs)
      const goneMs = performance.now() - began
      clearInterval(dripping)
      // Closing a file takes a moment more than closing a socket.
      await until(async () => (await server.usage()).openFiles === 0, checkingMs)
      const after = await server.usage('swept')
      const grown = (held.rss - idle.rss) / mebibyte
      console.log(
        `3 × ${count} slow clients, timeouts of ${timeoutMs / 1000} s: +${grown.toFixed(0)} MiB for ${held.sockets} sockets, ` +
          `p50 ${before.p50.toFixed(1)} → ${during.p50.toFixed(1)} ms, p99 ${before.p99.toFixed(1)} → ${during.p99.toFixed(1)} ms ` +
          `(${before.count} and ${during.count} requests), gone after ${(goneMs / 1000).toFixed(1)} s, ` +
          `then ${after.sockets} sockets, ${after.openFiles} files, +${((after.rss - idle.rss) / mebibyte).toFixed(0)} MiB`,
      )
      for (const { socket } of clients) socket.destroy()
      expect(after.openFiles).toBe(0)
      expect((await call(server, 'HEAD /slow/stalled')).status).toBe(404)
      // On a machine so busy that they were gone before all had come, there is nothing to measure.
      if (held.sockets - idle.sockets < 2 * count) return console.log('Not measured: the machine is too busy.')
      expect(during.p99).toBeLessThan(Math.max(2 * before.p99, noiseMs))
      expect(grown).toBeLessThan(grownMax)
    },
    10 * timeoutMs + 60_000,
  )
})

/** Downloads an object at full speed, and keeps none of it. */
async function download(server: Served): Promise<void> {
  const { socket, send } = await connect(server)
  socket.removeAllListeners('data').resume()
  send(requestBytes(server, 'GET /slow/large', { extra: ['connection: close'] }))
  await once(socket, 'end')
  socket.destroy()
}

/**
 * Very many connections at once: most do nothing, some send a request now and then. Those requests are answered, memory
 * stays within bounds, and afterwards everything is freed. Above the server's limit, idle connections are closed for
 * new ones.
 *
 * SOCKETS: how many (`npm run suite slow`: 10,000).
 */
import { connect as connectTcp, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call } from '../../acceptance/support/call.ts'
import { connect, requestBytes, type Wire } from '../../acceptance/support/wire.ts'
import { latencies, served, type Served, until } from './served.ts'

const count = Number(process.env['SOCKETS'] ?? 500)
const activeCount = Math.min(100, count / 10)
/** Connections that there may be besides. */
const room = 20
const mebibyte = 1024 ** 2
/** Both ends of each, and what a process needs besides. */
const handles = count + 200
const limit = openFilesMax()

function openFilesMax(): number {
  const report = process.report.getReport() as { userLimits?: { open_files?: { hard?: number | string } } }
  const hard = report.userLimits?.open_files?.hard ?? 'unlimited'
  return hard === 'unlimited' ? Number.POSITIVE_INFINITY : Number(hard)
}

if (limit < handles)
  console.log(`No ${count} sockets: the system allows ${limit} open files, and ${handles} are needed.`)

// Both processes raise their own limit to the hard one; beyond that only the system's owner can.
describe.skipIf(limit < handles)(`${count} connections`, () => {
  let server: Served
  beforeAll(async () => {
    server = await served({ connectionsMax: count + room, idleTimeoutMs: 600_000, headersTimeoutMs: 600_000 })
    await call(server, 'PUT /many')
    await call(server, 'PUT /many/small', { body: 'small' })
  }, 120_000)
  afterAll(() => server.stop())

  it('are held and answered, up to the limit, and let go', async () => {
    const idle = await server.usage('swept')
    const before = await latencies(server, 'GET /many/small', 2000)
    const sockets = await openSockets(server.port, count - activeCount)
    const active = await Promise.all(Array.from({ length: activeCount }, () => connect(server)))
    const during = await latencies(server, 'GET /many/small', 2000)
    for (let round = 0; round < 3; round += 1) {
      expect(new Set(await Promise.all(active.map((wire) => ask(server, wire))))).toEqual(new Set([200]))
    }
    const held = await server.usage('swept')
    expect(held.sockets).toBeGreaterThanOrEqual(count)

    const beyond = await openSockets(server.port, 40)
    // Those of the newcomers there is no room for take the places of idle ones: no more stay than before.
    const gone = () => [...sockets, ...beyond].filter(({ destroyed }) => destroyed).length
    await until(() => gone() >= beyond.length - room, 5000)
    expect(await ask(server, active[0] as Wire)).toBe(200)

    for (const socket of [...sockets, ...beyond]) socket.destroy()
    for (const { socket } of active) socket.destroy()
    const goneMs = await until(async () => (await server.usage()).sockets <= idle.sockets, 30_000)
    expect((await call(server, 'GET /many/small')).text).toBe('small')
    const after = await server.usage('swept')
    const grown = (held.rss - idle.rss) / mebibyte
    console.log(
      `${count} connections, ${activeCount} of them active: +${grown.toFixed(0)} MiB (${((grown * 1024) / count).toFixed(1)} KiB each), ` +
        `p50 ${before.p50.toFixed(1)} → ${during.p50.toFixed(1)} ms, p99 ${before.p99.toFixed(1)} → ${during.p99.toFixed(1)} ms, ` +
        `let go after ${goneMs.toFixed(0)} ms, then +${((after.rss - idle.rss) / mebibyte).toFixed(0)} MiB`,
    )
    expect(grown).toBeLessThan(50 + count / 50)
  }, 600_000)
})

async function ask(server: Served, wire: Wire): Promise<number> {
  wire.send(requestBytes(server, 'GET /many/small'))
  return (await wire.answer()).status
}

/** In small groups, so that none has to wait to be accepted. */
async function openSockets(port: number, many: number): Promise<Socket[]> {
  const sockets: Socket[] = []
  while (sockets.length < many) {
    const group = Array.from({ length: Math.min(100, many - sockets.length) }, () => openSocket(port))
    sockets.push(...(await Promise.all(group)))
  }
  return sockets
}

function openSocket(port: number): Promise<Socket> {
  const socket = connectTcp({ host: '127.0.0.1', port })
  return new Promise((resolve, reject) => {
    socket.once('error', reject).once('connect', () => {
      socket.off('error', reject).on('error', () => undefined)
      resolve(socket)
    })
  })
}

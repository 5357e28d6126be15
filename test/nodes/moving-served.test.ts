/** `varve migrate --endpoint`: a server moves its own store to addresses while clients write, and goes on serving it. */
import { noPostgres, type PostgresServer, postgresServer } from '#adapters/postgres-journal/postgres-server.fixture'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endServersAfterEach, jsonLines, scratchPaths, serve, type Server, varve } from '../cli/run-varve.ts'
import { clientOf, expectAll, pause, rootKeys as keys, Writer } from './moving-clients.ts'
import { filledServer, movingPlace } from './moving-places.ts'

const next = scratchPaths()
endServersAfterEach()

interface Report {
  readonly kind: string
  readonly head: number
  readonly hashes: { readonly from: string; readonly into: string }
  readonly pauseMs: number
}

/** What `migrate` says when its server is gone. */
const killed = /ECONNREFUSED|ECONNRESET|StoreClosed|socket hang up/

if (noPostgres !== undefined) console.log(`Skipped: ${noPostgres}`)

// Without PostgreSQL there is nothing to move to.
describe.skipIf(noPostgres !== undefined)('a store that its server moves to PostgreSQL', () => {
  let database: PostgresServer
  beforeAll(async () => {
    database = await postgresServer()
  }, 60_000)
  afterAll(() => database?.remove())

  const migrate = ({ url }: Server, to: string) => varve(['migrate', '--endpoint', url, '--to', to, '--json'], keys)

  it('loses nothing that was acknowledged, fails nothing, and makes writes wait for less than two seconds', async () => {
    const [dir, { to, served }] = [next(), await movingPlace(database, next())]
    const server = await filledServer(dir)
    const writers = [0, 10_000, 20_000].map((from) => new Writer(clientOf(server), from))
    while (writers.some(({ written }) => written.size < 30)) await pause()
    const { status, stdout, stderr } = await migrate(server, to)
    expect({ status, stderr }).toMatchObject({ status: 0 })
    const report = jsonLines(stdout)[0] as unknown as Report
    expect(report).toMatchObject({ kind: 'moved', hashes: { from: report.hashes.into } })
    expect(report.pauseMs).toBeGreaterThan(0)
    const sizes = writers.map(({ written }) => written.size)
    while (writers.some(({ written }, i) => written.size < (sizes[i] ?? 0) + 20)) await pause()
    for (const writer of writers) await writer.stop()
    expect(writers.map(({ failures }) => failures)).toEqual([0, 0, 0])
    const slowest = Math.max(...writers.map(({ slowestMs }) => slowestMs))
    console.log(`Writes waited ${report.pauseMs} ms; the slowest request took ${Math.round(slowest)} ms.`)
    expect(report.pauseMs).toBeLessThan(2000)
    await expectAll(clientOf(server), ...writers.map(({ written }) => written))
    expect(await varve(['verify', '--endpoint', server.url], keys)).toMatchObject({ status: 0 })
    expect(await migrate(server, to)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('was moved to') as string,
    })

    await server.stop()
    await expect(serve([dir], keys)).rejects.toThrow('was moved to')
    const old = await varve(['log', '--dir', dir, '--read-only', '--json', '--from', String(report.head)])
    expect(jsonLines(old.stdout)).toHaveLength(1)
    const node = await serve([...served, '--keyring', `${dir}/keyring.json`], keys)
    await expectAll(clientOf(node), ...writers.map(({ written }) => written))
    await node.stop()
  }, 300_000)

  it('goes on after its server was killed at any time, and is in one place', async () => {
    const [dir, { to, served }] = [next(), await movingPlace(database, next())]
    let server = await filledServer(dir)
    const written: Map<number, string>[] = []
    let kills = 0
    // The last one is killed when the store is moved.
    for (const waitMs of [500, 1000, 2000, 4000, 600_000]) {
      const writer = new Writer(clientOf(server), 10_000 * kills)
      written.push(writer.written)
      while (writer.written.size < 5) await pause()
      const moving = migrate(server, to)
      const isMoved = await Promise.race([
        moving.then(({ status }) => status === 0),
        new Promise<false>((resolve) => setTimeout(() => resolve(false), waitMs)),
      ])
      server.process.kill('SIGKILL')
      await writer.ended
      const { stderr } = await moving
      kills++
      const again = await serve([dir], keys).catch(String)
      if (typeof again === 'string') {
        expect(again).toContain('was moved to')
        break
      }
      // Only a kill ends the move.
      expect({ isMoved, stderr }).toMatchObject({ isMoved: false, stderr: expect.stringMatching(killed) as string })
      server = again
    }
    const node = await serve([...served, '--keyring', `${dir}/keyring.json`], keys)
    await expectAll(clientOf(node), ...written)
    await node.stop()
    console.log(`Killed ${kills} times.`)
  }, 300_000)
})

/** A move that ends between leaving the directory and serving the store in the other place: only one place takes writes. */
import { memberTable, passageKey } from '#core/sharing/coordination-rows'
import { noPostgres, type PostgresServer, postgresServer } from '#adapters/postgres-journal/postgres-server.fixture'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { endServersAfterEach, jsonLines, scratchPaths, serve, type Server, varve } from '../cli/run-varve.ts'
import { clientOf, expectAll, pause, rootKeys as keys, Writer } from './moving-clients.ts'
import { filledServer, type MovingPlace, movingPlace, trap } from './moving-places.ts'

const next = scratchPaths()
endServersAfterEach()

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const arrival = { change: 'DELETE', key: hex(passageKey.bytes) } as const
const joining = { change: 'INSERT', key: hex(memberTable.range.gte) } as const

if (noPostgres !== undefined) console.log(`Skipped: ${noPostgres}`)

// Without PostgreSQL there is nothing to move to.
describe.skipIf(noPostgres !== undefined)(
  'a move to PostgreSQL that is cut after its server has left the directory',
  () => {
    let database: PostgresServer
    beforeAll(async () => {
      database = await postgresServer()
    }, 60_000)
    afterAll(() => database?.remove())

    const ownKeys = (dir: string) => ['--keyring', `${dir}/keyring.json`]
    const move = ({ url }: Server, { to }: MovingPlace) =>
      varve(['migrate', '--endpoint', url, '--to', to, '--json'], keys)
    const end = (dir: string, { to }: MovingPlace) =>
      varve(['migrate', '--dir', dir, '--to', to, ...ownKeys(dir)], keys)

    /** A store that is there in part, so that the place can be trapped. */
    async function begun() {
      const [dir, place] = [next(), await movingPlace(database, next())]
      const server = await filledServer(dir)
      expect(await end(dir, place)).toMatchObject({ stdout: expect.stringContaining('is in use') as string })
      return { dir, place, server }
    }

    it.each([
      ['a start of the server on the directory', (dir: string) => serve([dir], keys).catch(String)],
      ['the command for a closed directory', end],
    ])(
      'takes writes nowhere after a kill between its two rows, and ends with %s',
      async (_name, finish) => {
        const { dir, place, server } = await begun()
        const trapped = await trap(database, place, { ...arrival, how: 'hangs' })
        const writer = new Writer(clientOf(server), 0)
        while (writer.written.size < 5) await pause()
        const moving = move(server, place)
        await vi.waitUntil(async () => (await trapped.caught()) === 1, { timeout: 60_000 })
        server.process.kill('SIGKILL')
        await writer.ended
        expect(await moving).toMatchObject({ status: 1 })
        await trapped.release()

        const node = () => serve([...place.served, ...ownKeys(dir)], keys)
        await expect(node()).rejects.toThrow('has not ended')
        await finish(dir, place)
        await expect(serve([dir], keys)).rejects.toThrow('was moved to')
        const there = await node()
        await expectAll(clientOf(there), writer.written)
        await there.stop()
      },
      120_000,
    )

    it('is there, also for the command, after a kill of the server that could not open it', async () => {
      const { dir, place, server } = await begun()
      const trapped = await trap(database, place, { ...joining, how: 'fails' })
      const writer = new Writer(clientOf(server), 0)
      while (writer.written.size < 5) await pause()
      expect(await move(server, place)).toMatchObject({ status: 0 })
      server.process.kill('SIGKILL')
      await writer.ended
      await expect(serve([dir], keys)).rejects.toThrow('was moved to')
      await trapped.release()
      expect(await end(dir, place)).toMatchObject({
        status: 0,
        stdout: expect.stringContaining('is there now') as string,
      })
      const node = await serve([...place.served, ...ownKeys(dir)], keys)
      await expectAll(clientOf(node), writer.written)
      await node.stop()
    }, 120_000)

    it.each([
      ['the end of its passage cannot be written', arrival],
      ['the store cannot be opened', joining],
    ])(
      'is served there as soon as it can be, if %s at first',
      async (_name, change) => {
        const { dir, place, server } = await begun()
        const trapped = await trap(database, place, { ...change, how: 'fails' })
        const client = clientOf(server)
        const writer = new Writer(client, 0)
        while (writer.written.size < 5) await pause()
        const { status, stdout } = await move(server, place)
        expect({ status, report: jsonLines(stdout)[0] }).toMatchObject({
          status: 0,
          report: { kind: 'moved', error: { message: expect.any(String) as string } },
        })
        const before = new Map(writer.written)
        const { failures } = writer
        await vi.waitUntil(() => writer.failures > failures + 5, { timeout: 10_000 })
        expect(writer.written.size).toBe(before.size)
        await expectAll(client, before)
        await trapped.release()
        await vi.waitUntil(() => writer.written.size > before.size + 5, { timeout: 60_000, interval: 50 })
        expect(server.stderr()).toMatch(
          /The move of the store failed: .*\n(?:.*\n)*The store was moved to .*: writes waited \d+ ms/,
        )
        await writer.stop()
        await expectAll(client, writer.written)
        expect(await move(server, place)).toMatchObject({
          status: 1,
          stderr: expect.stringContaining('was moved') as string,
        })

        await server.stop()
        await expect(serve([dir], keys)).rejects.toThrow('was moved to')
        const node = await serve([...place.served, ...ownKeys(dir)], keys)
        await expectAll(clientOf(node), writer.written)
        await node.stop()
      },
      120_000,
    )
  },
)

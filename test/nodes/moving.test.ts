/** `varve migrate` from a directory to addresses and back, while clients write. */
import { mkdir } from 'node:fs/promises'
import { noPostgres, type PostgresServer, postgresServer } from '#adapters/postgres-journal/postgres-server.fixture'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endServersAfterEach, jsonLines, scratchPaths, serve, varve } from '../cli/run-varve.ts'
import { clientOf, expectAll, pause, rootKeys as keys, Writer } from './moving-clients.ts'

const next = scratchPaths()
endServersAfterEach()

const migrate = async (...args: readonly string[]) => {
  const { status, stdout, stderr } = await varve(['migrate', ...args, '--json'], keys)
  return { status, stderr, report: jsonLines(stdout)[0] }
}

if (noPostgres !== undefined) console.log(`Skipped: ${noPostgres}`)

// Without PostgreSQL there is nothing to move to.
describe.skipIf(noPostgres !== undefined)('a store that is moved to PostgreSQL and back', () => {
  let database: PostgresServer
  beforeAll(async () => {
    database = await postgresServer()
  }, 60_000)
  afterAll(() => database?.remove())

  it('loses nothing that was acknowledged, though clients write meanwhile', async () => {
    const { host, user, database: name } = database.connection
    const journal = `postgres:///${name}?host=${encodeURIComponent(host)}&user=${user}`
    const [blobs, dir, back] = [next(), next(), next()]
    await mkdir(blobs)
    const keyring = ['--keyring', `${dir}/keyring.json`]
    const where = ['--journal', journal, '--blobs', `file://${blobs}`, ...keyring]
    const to = ['--to', `${journal}+file://${blobs}`]
    const from = ['--from', `${journal}+file://${blobs}`]

    const server = await serve([dir], keys)
    const client = clientOf(server)
    const made = await varve(['mb', 's3://box', '--versioning'], { ...keys, VARVE_ENDPOINT: server.url })
    expect(made).toMatchObject({ status: 0 })
    const first = new Writer(client, 0)
    while (first.written.size < 20) await pause()
    // A log that never rests cannot be copied, so it pauses.
    await first.stop()
    expect(await migrate('--dir', dir, ...to)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('--keyring') as string,
    })
    expect(await migrate('--dir', dir, ...to, ...keyring)).toMatchObject({ report: { kind: 'copied', isWhole: false } })
    await expect(serve(where, keys)).rejects.toThrow()
    const second = new Writer(client, 1000)
    while (second.written.size < 10) await pause()
    await server.stop()
    await second.stop()
    expect(await migrate('--dir', dir, ...to, ...keyring)).toMatchObject({ report: { kind: 'moved', isWhole: true } })

    const nodes = await Promise.all([serve(where, keys), serve(where, keys)])
    await expectAll(clientOf(nodes[0]), first.written, second.written)
    const writers = nodes.map((node, i) => new Writer(clientOf(node), 2000 + 1000 * i))
    while (writers.some(({ written }) => written.size < 10)) await pause()
    const moved = await migrate('--dir', back, ...from, ...keyring)
    expect(moved).toMatchObject({ status: 0, report: { kind: 'moved', isWhole: true } })
    for (const writer of writers) await writer.ended
    for (const node of nodes)
      expect(await node.ended).toMatchObject({ status: 6, stderr: expect.stringContaining('was moved to') as string })

    const last = await serve([back], keys)
    await expectAll(clientOf(last), first.written, second.written, ...writers.map(({ written }) => written))
    await last.stop()
    expect(await varve(['verify', '--dir', back])).toMatchObject({ status: 0 })
  }, 300_000)
})

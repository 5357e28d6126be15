/** `varve serve --journal` with TLS: the certificates that its address names, and what a node says when they are not accepted. */
import { mkdir } from 'node:fs/promises'
import { noPostgres } from '#adapters/postgres-journal/postgres-server.fixture'
import { member, shown, type TlsServer, tlsServer } from '#adapters/postgres-journal/tls-server.fixture'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endServersAfterEach, scratchPaths, serve, varve } from '../cli/run-varve.ts'

const next = scratchPaths()
endServersAfterEach()
const keys = { VARVE_ACCESS_KEY_ID: 'root-key', VARVE_SECRET_ACCESS_KEY: 'root-secret' }

if (noPostgres !== undefined) console.log(`Skipped: ${noPostgres}`)

// Without PostgreSQL there is nothing to connect to.
describe.skipIf(noPostgres !== undefined)('a node whose database demands certificates', () => {
  let database: TlsServer
  let blobs: string
  let right: Readonly<Record<string, string>>
  beforeAll(async () => {
    database = await tlsServer()
    right = { sslmode: 'verify-full', sslrootcert: database.authority, ...database.putPair('member', member) }
    const directory = next()
    await mkdir(directory)
    blobs = `file://${directory}`
  }, 60_000)
  afterAll(() => database?.remove())

  const argsWith = (parameters: Readonly<Record<string, string>>) => {
    const query = new URLSearchParams(parameters).toString()
    return ['--journal', `postgres://member@localhost:${database.port}/postgres?${query}`, '--blobs', blobs]
  }

  it('serves with the right ones, says when they expire, and goes on with new ones', async () => {
    const node = await serve(argsWith(right), keys)
    const health = async (): Promise<unknown> => (await fetch(`${node.url}/-/health`)).json()
    expect(await health()).toMatchObject({ state: 'open' })
    expect(await database.encryption('member')).toEqual(['t'])
    await database.show(shown.expired)
    await database.endSessions()
    const failing = { state: 'open', part: 'journal', code: 'JournalFailed', kind: 'tls' }
    await expect.poll(health, { timeout: 20_000 }).toMatchObject(failing)
    await database.show(shown.right)
    await expect.poll(health, { timeout: 20_000 }).not.toHaveProperty('part')
    expect(await node.stop()).toMatchObject({ status: 0 })
  })

  it.each([
    [
      'without its own certificate',
      () => ({ sslmode: 'require', sslrootcert: database.authority }),
      'client certificate',
    ],
    ['with another authority', () => ({ ...right, sslrootcert: 'system' }), 'no connection with TLS can be made'],
    [
      'without the file of its key',
      () => ({ ...right, sslkey: '/missing' }),
      'The file of sslkey cannot be used: ENOENT.',
    ],
    [
      'with a mode that verifies nothing',
      () => ({ ...right, sslmode: 'no-verify' }),
      'sslmode is verify-full, or disable',
    ],
    ['with a parameter that changes the modes', () => ({ ...right, uselibpqcompat: 'true' }), 'uselibpqcompat'],
  ])('ends at once %s', async (_, parameters, message) => {
    const { status, stderr } = await varve(['serve', '--port', '0', ...argsWith(parameters())], keys)
    expect(status).toBeGreaterThan(0)
    expect(stderr).toContain(message)
    expect(stderr).not.toContain('PRIVATE')
  })
})

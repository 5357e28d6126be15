/** Connections with TLS: certificates that are right, wrong, expired, missing and replaced. */
import { chownSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Journal } from '@varve/core'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Certificate, certificateOf } from '../system/certificates.fixture.ts'
import { openPostgresJournal, type PostgresJournalOptions } from './open-postgres-journal.ts'
import { administrator, asUser, noPostgres, type PostgresServer, postgresServer } from './postgres-server.fixture.ts'

const authority = certificateOf('authority')
const stranger = certificateOf('stranger')
const right = certificateOf('server', { by: authority })
const otherName = certificateOf('other', { by: authority, names: ['db.example.com'] })
const expired = certificateOf('expired', { by: authority, until: '210101' })
const member = certificateOf('member', { by: authority, names: [] })
const notMember = certificateOf('visitor', { by: authority, names: [] })
const fake = certificateOf('member', { by: stranger, names: [] })

const event = (head: number) => ({ expectedHead: head, events: [Uint8Array.of(1)], rows: [] })
const ofTls = (code?: string) => ({
  code: 'JournalFailed',
  details: { kind: 'tls', ...(code !== undefined && { code }) },
})

// It needs a server: the tests of the contract print why there is none.
describe.skipIf(noPostgres !== undefined)('a journal in PostgreSQL with TLS', () => {
  let server: PostgresServer
  let admin: Awaited<ReturnType<typeof administrator>>
  let folder: string
  let port: number
  let schemas = 0
  const journals: Journal[] = []

  const file = (name: string) => join(folder, name)
  function put(name: string, text: string): string {
    const path = file(name)
    writeFileSync(`${path}.new`, text, { mode: 0o600 })
    const { uid, gid } = asUser
    if (uid !== undefined && gid !== undefined) chownSync(`${path}.new`, uid, gid)
    renameSync(`${path}.new`, path)
    return path
  }
  const putPair = (name: string, { cert, key }: Certificate) => ({
    sslcert: put(`${name}.crt`, cert),
    sslkey: put(`${name}.key`, key),
  })

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'pg-tls-'))
    const { uid, gid } = asUser
    if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid)
    const lines = ['local all all trust', 'hostssl all member all cert', 'hostssl all all all trust']
    const pair = putPair('server', right)
    port = await freePort()
    server = await postgresServer({
      listen_addresses: '127.0.0.1',
      port: String(port),
      hba_file: put('hba', `${lines.join('\n')}\n`),
      ssl_ca_file: put('authority', authority.cert),
      ssl_cert_file: pair.sslcert,
      ssl_key_file: pair.sslkey,
    })
    const local = { ...server.connection, port }
    admin = await administrator({ ...server, connection: local })
    await admin.run('CREATE ROLE member SUPERUSER LOGIN')
    await serverHas({ ssl: 'on' })
  }, 60_000)
  afterEach(async () => {
    await Promise.all(journals.splice(0).map((journal) => journal.close()))
    await show(right)
  })
  afterAll(async () => {
    await admin?.end()
    await server?.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Sets a setting of the server, and waits until new sessions have it. */
  async function serverHas({ ssl }: { readonly ssl: 'on' | 'off' }): Promise<void> {
    await admin.run(`ALTER SYSTEM SET ssl = ${ssl}`, 'SELECT pg_reload_conf()')
    await vi.waitUntil(async () => (await admin.run('SHOW ssl'))[0]?.[0] === ssl)
    await settled()
  }
  async function show(certificate: Certificate): Promise<void> {
    putPair('server', certificate)
    await admin.run('SELECT pg_reload_conf()')
    await settled()
  }
  /** The server reads its files some time after it was told to. */
  const settled = () => new Promise((resolve) => setTimeout(resolve, 200))

  const addressWith = (parameters: Readonly<Record<string, string>>, user = 'varve') =>
    `postgres://${user}@localhost:${port}/postgres?${new URLSearchParams(parameters).toString()}`
  const open = async (options: PostgresJournalOptions, schema = `tls_${++schemas}`): Promise<Journal> => {
    const journal = await openPostgresJournal({ schema, waitMs: 20_000, ...options })
    journals.push(journal)
    return journal
  }
  const openAt = (parameters: Readonly<Record<string, string>>, user?: string, schema?: string) =>
    open({ connectionString: addressWith(parameters, user) }, schema)
  const openWith = (ssl: unknown, user = 'varve') =>
    open({ connection: { host: 'localhost', port, user, database: 'postgres', ssl } })
  const trusted = () => ({ sslmode: 'verify-full', sslrootcert: file('authority') })
  const ca = authority.cert
  const sessions = async (user: string) =>
    (
      await admin.run(
        `SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
          WHERE usename = '${user}' AND application_name = 'varve'`,
      )
    ).flat()

  it('encrypts all connections', async () => {
    for (const journal of [await openAt(trusted()), await openWith({ ca })]) {
      await journal.commit(event(0))
      const snapshot = await journal.snapshot()
      expect([await journal.head(), await snapshot.get(Uint8Array.of(1))]).toEqual([1, undefined])
      expect(await sessions('varve')).toEqual(['t'])
      await snapshot.close()
    }
  })

  it('refuses a server whose certificate an unknown authority has signed', async () => {
    await expect(openAt({ sslmode: 'verify-full' })).rejects.toMatchObject(ofTls())
    const strangers = put('strangers', stranger.cert)
    for (const sslmode of ['require', 'verify-ca', 'verify-full'])
      await expect(openAt({ sslmode, sslrootcert: strangers })).rejects.toMatchObject(ofTls())
    await expect(openWith(true)).rejects.toMatchObject(ofTls())
    await expect(openWith({ ca: stranger.cert })).rejects.toMatchObject(ofTls())
  })

  it('refuses a certificate of another host, and one that has expired', async () => {
    for (const [certificate, code] of [
      [otherName, 'ERR_TLS_CERT_ALTNAME_INVALID'],
      [expired, 'CERT_HAS_EXPIRED'],
    ] as const) {
      await show(certificate)
      for (const sslmode of ['require', 'verify-ca', 'verify-full'])
        await expect(openAt({ ...trusted(), sslmode })).rejects.toMatchObject(ofTls(code))
      await expect(openWith({ ca })).rejects.toMatchObject(ofTls(code))
    }
  })

  it('shows the certificate of the client, which the server demands', async () => {
    const pair = putPair('member', member)
    const journal = await openAt({ ...trusted(), ...pair }, 'member')
    await journal.commit(event(0))
    expect(await sessions('member')).toEqual(['t'])
    await (await openWith({ ca, cert: member.cert, key: member.key }, 'member')).commit(event(0))
  })

  it('reports a certificate of the client that is missing, of another user, or of another authority', async () => {
    const refused = { code: 'JournalFailed', details: { kind: '28000' } }
    const [visitor, forged] = [putPair('visitor', notMember), putPair('forged', fake)]
    await expect(openAt(trusted(), 'member')).rejects.toMatchObject(refused)
    await expect(openAt({ ...trusted(), ...visitor }, 'member')).rejects.toMatchObject(refused)
    await expect(openAt({ ...trusted(), ...forged }, 'member')).rejects.toMatchObject(ofTls())
    await expect(openWith({ ca }, 'member')).rejects.toMatchObject(refused)
    const { cert, key } = fake
    const message = expect.stringMatching(/alert unknown ca \(ERR_SSL_TLSV1_ALERT_UNKNOWN_CA\)$/)
    await expect(openWith({ ca, cert, key }, 'member')).rejects.toMatchObject({ ...ofTls(), message })
  })

  it('names a file that it cannot use, and shows no key', async () => {
    const { sslcert, sslkey } = putPair('member', member)
    const wrongKey = put('wrong.key', notMember.key)
    for (const [parameters, name] of [
      [{ sslrootcert: file('missing') }, 'sslrootcert'],
      [{ sslrootcert: put('empty', '') }, 'sslrootcert'],
      [{ sslrootcert: sslkey }, 'sslrootcert'],
      [{ sslcert, sslkey: file('missing') }, 'sslkey'],
      [{ sslcert, sslkey: wrongKey }, 'sslcert or sslkey'],
      [{ sslcert: sslkey, sslkey }, 'sslcert or sslkey'],
    ] as const) {
      const failure: unknown = await openAt({ ...trusted(), ...parameters }).catch((error: unknown) => error)
      expect(failure).toMatchObject({ ...ofTls(), message: expect.stringContaining(`file of ${name} cannot`) })
      expect(String(failure)).not.toContain('PRIVATE')
    }
  })

  it('never sends anything to a server without TLS that it does not find there', async () => {
    const schema = `tls_${++schemas}`
    const journal = await openAt(trusted(), 'varve', schema)
    await journal.commit(event(0))
    await serverHas({ ssl: 'off' })
    try {
      await endSessions()
      const start = performance.now()
      for (const read of [() => journal.head(), async () => journal.snapshot()])
        await expect(read()).rejects.toMatchObject(ofTls())
      await expect(openAt({ sslmode: 'require' })).rejects.toMatchObject(ofTls())
      await expect(openWith({ ca })).rejects.toMatchObject(ofTls())
      expect(performance.now() - start).toBeLessThan(10_000)
    } finally {
      await serverHas({ ssl: 'on' })
    }
    expect(await journal.head()).toBe(1)
  })

  it('fails at once when a certificate expires while it is open, and goes on with a new one', async () => {
    const journal = await openAt(trusted())
    await journal.commit(event(0))
    await show(expired)
    await endSessions()
    const start = performance.now()
    await expect(journal.head()).rejects.toMatchObject(ofTls('CERT_HAS_EXPIRED'))
    await expect(journal.snapshot()).rejects.toMatchObject(ofTls('CERT_HAS_EXPIRED'))
    expect(performance.now() - start).toBeLessThan(10_000)
    await show(right)
    expect(await journal.head()).toBe(1)
  })

  it('reads its certificates again for each connection, and keeps the last one that it could use', async () => {
    const pair = putPair('turning', certificateOf('member', { by: authority, until: '400101' }))
    const journal = await openAt({ ...trusted(), ...pair }, 'member')
    rmSync(pair.sslcert)
    await endSessions()
    expect(await journal.head()).toBe(0)
    putPair('turning', notMember)
    await endSessions()
    await expect(journal.head()).rejects.toMatchObject({ details: { kind: '28000' } })
    putPair('turning', member)
    expect(await journal.head()).toBe(0)
  })

  async function endSessions(): Promise<void> {
    const ours = `FROM pg_stat_activity WHERE application_name = 'varve'`
    await admin.run(`SELECT pg_terminate_backend(pid) ${ours}`)
    await expect.poll(async () => (await admin.run(`SELECT count(*) ${ours}`))[0]?.[0]).toBe('0')
    await settled()
  }
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { readonly port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

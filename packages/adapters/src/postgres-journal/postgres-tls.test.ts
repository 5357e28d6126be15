/** Connections with TLS: certificates that are right, wrong, expired, missing and replaced. */
import { rmSync } from 'node:fs'
import type { Journal } from '@varve/core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { certificateOf } from '../system/certificates.fixture.ts'
import { openPostgresJournal } from './open-postgres-journal.ts'
import type { PostgresJournalOptions } from './postgres-options.ts'
import { noPostgres } from './postgres-server.fixture.ts'
import { authority, member, shown, type TlsServer, tlsServer } from './tls-server.fixture.ts'

const { right, otherName, expired } = shown
const stranger = certificateOf('stranger')
const notMember = certificateOf('visitor', { by: authority, names: [] })
const fake = certificateOf('member', { by: stranger, names: [] })

const event = (head: number) => ({ expectedHead: head, events: [Uint8Array.of(1)], rows: [] })
const ofTls = (code?: string) => ({
  code: 'JournalFailed',
  details: { kind: 'tls', ...(code !== undefined && { code }) },
})

// It needs a server: the tests of the contract print why there is none.
describe.skipIf(noPostgres !== undefined)('a journal in PostgreSQL with TLS', () => {
  let server: TlsServer
  let schemas = 0
  const journals: Journal[] = []

  beforeAll(async () => {
    server = await tlsServer()
  }, 60_000)
  afterEach(async () => {
    await Promise.all(journals.splice(0).map((journal) => journal.close()))
    await server.show(right)
  })
  afterAll(() => server?.remove())

  const addressWith = (parameters: Readonly<Record<string, string>>, user = 'varve') =>
    `postgres://${user}@localhost:${server.port}/postgres?${new URLSearchParams(parameters).toString()}`
  const open = async (options: PostgresJournalOptions, schema = `tls_${++schemas}`): Promise<Journal> => {
    const journal = await openPostgresJournal({ schema, waitMs: 20_000, ...options })
    journals.push(journal)
    return journal
  }
  const openAt = (parameters: Readonly<Record<string, string>>, user?: string, schema?: string) =>
    open({ connectionString: addressWith(parameters, user) }, schema)
  const openWith = (ssl: unknown, user = 'varve') =>
    open({ connection: { host: 'localhost', port: server.port, user, database: 'postgres', ssl } })
  const trusted = () => ({ sslmode: 'verify-full', sslrootcert: server.authority })
  const ca = authority.cert

  it('encrypts all connections', async () => {
    for (const journal of [await openAt(trusted()), await openWith({ ca })]) {
      await journal.commit(event(0))
      const snapshot = await journal.snapshot()
      expect([await journal.head(), await snapshot.get(Uint8Array.of(1))]).toEqual([1, undefined])
      expect(await server.encryption('varve')).toEqual(['t'])
      await snapshot.close()
    }
  })

  it('refuses a server whose certificate an unknown authority has signed', async () => {
    await expect(openAt({ sslmode: 'verify-full' })).rejects.toMatchObject(ofTls())
    const strangers = server.put('strangers', stranger.cert)
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
      await server.show(certificate)
      for (const sslmode of ['require', 'verify-ca', 'verify-full'])
        await expect(openAt({ ...trusted(), sslmode })).rejects.toMatchObject(ofTls(code))
      await expect(openWith({ ca })).rejects.toMatchObject(ofTls(code))
    }
  })

  it('shows the certificate of the client, which the server demands', async () => {
    const pair = server.putPair('member', member)
    const journal = await openAt({ ...trusted(), ...pair }, 'member')
    await journal.commit(event(0))
    expect(await server.encryption('member')).toEqual(['t'])
    await (await openWith({ ca, cert: member.cert, key: member.key }, 'member')).commit(event(0))
  })

  it('reports a certificate of the client that is missing, of another user, or of another authority', async () => {
    const refused = { code: 'JournalFailed', details: { kind: '28000' } }
    const [visitor, forged] = [server.putPair('visitor', notMember), server.putPair('forged', fake)]
    await expect(openAt(trusted(), 'member')).rejects.toMatchObject(refused)
    await expect(openAt({ ...trusted(), ...visitor }, 'member')).rejects.toMatchObject(refused)
    await expect(openAt({ ...trusted(), ...forged }, 'member')).rejects.toMatchObject(ofTls())
    await expect(openWith({ ca }, 'member')).rejects.toMatchObject(refused)
    const { cert, key } = fake
    const message = expect.stringMatching(/alert unknown ca \(ERR_SSL_TLSV1_ALERT_UNKNOWN_CA\)$/)
    await expect(openWith({ ca, cert, key }, 'member')).rejects.toMatchObject({ ...ofTls(), message })
  })

  it('names a file that it cannot use, and shows no key', async () => {
    const { sslcert, sslkey } = server.putPair('member', member)
    const wrongKey = server.put('wrong.key', notMember.key)
    for (const [parameters, name] of [
      [{ sslrootcert: server.fileAt('missing') }, 'sslrootcert'],
      [{ sslrootcert: server.put('empty', '') }, 'sslrootcert'],
      [{ sslrootcert: sslkey }, 'sslrootcert'],
      [{ sslcert, sslkey: server.fileAt('missing') }, 'sslkey'],
      [{ sslcert, sslkey: wrongKey }, 'sslcert or sslkey'],
      [{ sslcert: sslkey, sslkey }, 'sslcert or sslkey'],
    ] as const) {
      const failure: unknown = await openAt({ ...trusted(), ...parameters }).catch((error: unknown) => error)
      expect(failure).toMatchObject({ ...ofTls(), message: expect.stringContaining(`file of ${name} cannot`) })
      expect(String(failure)).not.toContain('PRIVATE')
    }
  })

  it('never goes on without TLS, and fails at once while the server has none', async () => {
    const schema = `tls_${++schemas}`
    const journal = await openAt(trusted(), 'varve', schema)
    await journal.commit(event(0))
    await server.setTls('off')
    try {
      await server.endSessions()
      const start = performance.now()
      for (const read of [() => journal.head(), async () => journal.snapshot()])
        await expect(read()).rejects.toMatchObject(ofTls())
      await expect(openAt({ sslmode: 'require' })).rejects.toMatchObject(ofTls())
      await expect(openWith({ ca })).rejects.toMatchObject(ofTls())
      expect(performance.now() - start).toBeLessThan(10_000)
    } finally {
      await server.setTls('on')
    }
    expect(await journal.head()).toBe(1)
  })

  it('fails at once when a certificate expires while it is open, and goes on with a new one', async () => {
    const journal = await openAt(trusted())
    await journal.commit(event(0))
    await server.show(expired)
    await server.endSessions()
    const start = performance.now()
    await expect(journal.head()).rejects.toMatchObject(ofTls('CERT_HAS_EXPIRED'))
    await expect(journal.snapshot()).rejects.toMatchObject(ofTls('CERT_HAS_EXPIRED'))
    expect(performance.now() - start).toBeLessThan(10_000)
    await server.show(right)
    expect(await journal.head()).toBe(1)
  })

  it('reads its certificates again for each connection, and keeps the last one that it could use', async () => {
    const pair = server.putPair('turning', certificateOf('member', { by: authority, until: '400101' }))
    const journal = await openAt({ ...trusted(), ...pair }, 'member')
    rmSync(pair.sslcert)
    await server.endSessions()
    expect(await journal.head()).toBe(0)
    server.putPair('turning', notMember)
    await server.endSessions()
    await expect(journal.head()).rejects.toMatchObject({ details: { kind: '28000' } })
    server.putPair('turning', member)
    expect(await journal.head()).toBe(0)
  })
})

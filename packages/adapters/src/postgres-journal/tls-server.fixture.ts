/** A PostgreSQL server for tests that takes connections over TCP with TLS only, and of its user `member` with a certificate only. */
import { chownSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Certificate, certificateOf } from '../system/certificates.fixture.ts'
import { administrator, asUser, postgresServer } from './postgres-server.fixture.ts'

export const authority = certificateOf('authority')
/** The certificates that the server shows. */
export const shown = {
  right: certificateOf('server', { by: authority }),
  otherName: certificateOf('other', { by: authority, names: ['db.example.com'] }),
  expired: certificateOf('expired', { by: authority, until: '210101' }),
}
export const member = certificateOf('member', { by: authority, names: [] })

export type TlsServer = Awaited<ReturnType<typeof tlsServer>>

export async function tlsServer() {
  const folder = mkdtempSync(join(tmpdir(), 'pg-tls-'))
  const own = (path: string): void => {
    const { uid, gid } = asUser
    if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid)
  }
  own(folder)
  /** Replaces the file as a whole. */
  function put(name: string, text: string): string {
    const path = join(folder, name)
    writeFileSync(`${path}.new`, text, { mode: 0o600 })
    own(`${path}.new`)
    renameSync(`${path}.new`, path)
    return path
  }
  const putPair = (name: string, { cert, key }: Certificate) => ({
    sslcert: put(`${name}.crt`, cert),
    sslkey: put(`${name}.key`, key),
  })
  const port = await freePort()
  const lines = ['local all all trust', 'hostssl all member all cert', 'hostssl all all all trust']
  const pair = putPair('server', shown.right)
  const server = await postgresServer({
    listen_addresses: '127.0.0.1',
    port: String(port),
    hba_file: put('hba', `${lines.join('\n')}\n`),
    ssl_ca_file: put('authority', authority.cert),
    ssl_cert_file: pair.sslcert,
    ssl_key_file: pair.sslkey,
  })
  const local = { ...server.connection, port }
  const admin = await administrator({ ...server, connection: local })
  const reload = async (): Promise<void> => {
    await admin.run('SELECT pg_reload_conf()')
    // The server reads its files some time after it was told to.
    await new Promise((resolve) => setTimeout(resolve, 300))
  }
  const setTls = async (ssl: 'on' | 'off'): Promise<void> => {
    await admin.run(`ALTER SYSTEM SET ssl = ${ssl}`)
    await reload()
  }
  const ours = `FROM pg_stat_activity WHERE application_name = 'varve'`
  await admin.run('CREATE ROLE member SUPERUSER LOGIN')
  await setTls('on')
  return {
    port,
    /** Its file. */
    authority: join(folder, 'authority'),
    fileAt: (name: string) => join(folder, name),
    put,
    putPair,
    setTls,
    /** New connections get this certificate. */
    async show(certificate: Certificate) {
      putPair('server', certificate)
      await reload()
    },
    /** Whether the connections of journals of this user have TLS. */
    async encryption(user: string) {
      const text = `SELECT DISTINCT ssl FROM pg_stat_ssl JOIN (SELECT pid, usename ${ours}) a USING (pid) WHERE usename = '${user}'`
      return (await admin.run(text)).flat()
    },
    /** Ends the connections of all journals. */
    async endSessions() {
      await admin.run(`SELECT pg_terminate_backend(pid, 5000) ${ours}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    },
    async remove() {
      await admin.end()
      await server.remove()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { readonly port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

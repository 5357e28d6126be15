/** PgBouncer before a PostgreSQL server of a test, in a directory of its own, on a socket in it. */
import { spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asUser, type PostgresServer } from './postgres-server.fixture.ts'

const folders = ['/usr/sbin', '/usr/local/sbin', ...(process.env['PATH'] ?? '').split(':')]
const program = folders.map((folder) => join(folder, 'pgbouncer')).find((path) => existsSync(path))

/** Why there is no pooler here, or `undefined`. */
export const noPgBouncer = program === undefined ? 'PgBouncer is not installed.' : undefined

export interface Pooler {
  readonly connection: PostgresServer['connection']
  remove(): Promise<void>
}

export interface PoolerOptions {
  readonly mode: 'session' | 'transaction' | 'statement'
  /** The most connections to the server. */
  readonly poolSize: number
  readonly settings?: Readonly<Record<string, string>>
}

export async function pgBouncer(
  { connection }: PostgresServer,
  { mode, poolSize, settings = {} }: PoolerOptions,
): Promise<Pooler> {
  const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'))
  const users = join(folder, 'users.txt')
  const config = join(folder, 'pgbouncer.ini')
  const all = {
    listen_addr: '',
    listen_port: '5432',
    unix_socket_dir: folder,
    auth_type: 'trust',
    auth_file: users,
    pool_mode: mode,
    default_pool_size: String(poolSize),
    // It connects to a server that was away at once.
    server_login_retry: '0.2',
    ...settings,
  }
  writeFileSync(users, `"${connection.user}" ""\n`)
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}\n`)
  writeFileSync(config, `[databases]\n* = host=${connection.host}\n[pgbouncer]\n${lines.join('')}`)
  const { uid, gid } = asUser
  for (const path of [folder, users, config]) if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid)

  const pooler = spawn(program as string, [config], { ...asUser, stdio: ['ignore', 'ignore', 'pipe'], cwd: folder })
  const ended = new Promise<void>((resolve) => pooler.once('exit', () => resolve()))
  let output = ''
  await new Promise<void>((resolve, reject) => {
    pooler.once('error', reject)
    pooler.once('exit', () => reject(new Error(`PgBouncer does not start:\n${output}`)))
    pooler.stderr.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-10_000)
      if (output.includes('process up')) resolve()
    })
  })
  return {
    connection: { ...connection, host: folder },
    async remove() {
      pooler.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

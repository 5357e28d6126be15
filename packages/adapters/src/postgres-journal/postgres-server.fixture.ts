/** A PostgreSQL server for tests, in a directory of its own, on a socket in it. */
import { execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { errnoOf } from '../files/errno.ts'
import { loadPg, rowsOf, type TextRow } from './pg-client.ts'

const exists = (folder: string): boolean => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres'))

/** The newest of Debian's, or the one of the path. */
function findPrograms(): string | undefined {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  const folders = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(':'),
  ]
  return folders.find(exists)
}

const programs = findPrograms()

/** The server refuses to run as root. */
const isRoot = process.getuid?.() === 0
const [uid, gid] = isRoot ? [65534, 65534] : [undefined, undefined]
export const asUser: { readonly uid?: number; readonly gid?: number } = {
  ...(uid !== undefined && { uid }),
  ...(gid !== undefined && { gid }),
}

/** Why there is no server here, or `undefined`. */
export const noPostgres = whyNone()

function whyNone(): string | undefined {
  // The processes of a server are found in /proc.
  if (process.platform !== 'linux') return 'the tests start PostgreSQL on Linux only.'
  if (programs === undefined) return 'PostgreSQL is not installed.'
  try {
    execFileSync(join(programs, 'initdb'), ['--version'], { ...asUser, stdio: 'ignore', cwd: tmpdir() })
    return undefined
  } catch {
    return 'PostgreSQL cannot be started by another user than root.'
  }
}

export interface PostgresServer {
  /** Options of connections of a user with all rights. */
  readonly connection: { readonly host: string; readonly user: string; readonly database: string }
  /** Starts a server that was killed. `asStandby`: from now on it waits for the log of a primary. */
  start(asStandby?: boolean): Promise<void>
  /** Ends all processes of the server at once, as a crash does. */
  kill(): Promise<void>
  /** Ends it, and removes its files. */
  remove(): Promise<void>
}

export async function postgresServer(settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'pg-'))
  const data = join(folder, 'data')
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid)
  const run = (name: string) => join(programs as string, name)
  const initialise = ['-D', data, '-U', 'varve', '--auth=trust', '--no-sync', '--no-locale', '-E', 'UTF8']
  execFileSync(run('initdb'), initialise, { ...asUser, stdio: ['ignore', 'ignore', 'pipe'], cwd: folder })
  const all = { listen_addresses: '', unix_socket_directories: folder, autovacuum: 'off', ...settings }
  const args = ['-D', data, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
  let running: { readonly pid: number; readonly ended: Promise<void> } | undefined

  async function start(asStandby = false): Promise<void> {
    if (asStandby) writeFileSync(join(data, 'standby.signal'), '')
    const server = spawn(run('postgres'), args, { ...asUser, stdio: ['ignore', 'ignore', 'pipe'], cwd: folder })
    let output = ''
    const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()))
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.once('exit', () => reject(new Error(`PostgreSQL does not start:\n${output}`)))
      server.stderr.on('data', (chunk: Buffer) => {
        output = (output + chunk.toString()).slice(-10_000)
        if (/ready to accept (read-only )?connections/.test(output)) resolve()
      })
    })
    running = { pid: server.pid as number, ended }
  }

  async function kill(): Promise<void> {
    if (running === undefined) return
    const { pid, ended } = running
    running = undefined
    // A server whose children still run does not start again.
    const children = childrenOf(pid)
    for (const each of [pid, ...children]) kill9(each)
    await ended
    while (children.some(isThere)) await new Promise((resolve) => setTimeout(resolve, 5))
  }

  await start()
  return {
    connection: { host: folder, user: 'varve', database: 'postgres' },
    start,
    kill,
    async remove() {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function childrenOf(pid: number): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((each) => each > 0 && parentOf(each) === pid)
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return undefined
  }
}

function kill9(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (errnoOf(error) !== 'ESRCH') throw error
  }
}

/** Runs statements as a user with all rights, each on a connection of its own. */
export async function administrator({ connection }: PostgresServer) {
  const { Pool } = await loadPg()
  const pool = new Pool({ ...connection, max: 4 })
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return {
    connect: () => pool.connect(),
    async run(...texts: readonly string[]): Promise<readonly TextRow[]> {
      const client = await pool.connect()
      try {
        let rows: readonly TextRow[] = []
        for (const text of texts) rows = await rowsOf(client, text)
        return rows
      } finally {
        client.release(true)
      }
    },
    end: () => pool.end(),
  }
}

/** A process that has ended and was not collected counts as gone. */
function isThere(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

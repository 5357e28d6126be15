/** PostgreSQL, from Debian or from the path, as the database of a cluster. */
import { execFile, execFileSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { databaseUser as user, postgresPrograms } from './programs.mjs'

export function postgresMember({ dir, ports, password }) {
  const home = join(dir, 'postgres')
  const data = join(home, 'data')
  const programs = postgresPrograms()
  return {
    name: 'postgres',
    address: `127.0.0.1:${ports.postgres}`,
    user,
    command: [join(programs, 'postgres'), '-D', data, '-k', '', '-h', '127.0.0.1', '-p', String(ports.postgres)],
    prepare() {
      if (existsSync(data)) return
      mkdirSync(home, { recursive: true })
      const secret = join(home, 'password')
      writeFileSync(secret, password, { mode: 0o600 })
      if (user.uid !== undefined) for (const path of [home, secret]) chownSync(path, user.uid, user.gid)
      const how = ['-U', 'varve', '--auth=scram-sha-256', `--pwfile=${secret}`, '--no-locale', '-E', 'UTF8']
      execFileSync(join(programs, 'initdb'), ['-D', data, ...how], {
        ...user,
        cwd: '/',
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      rmSync(secret)
    },
    ready: () => acceptsConnections(ports.postgres),
  }
}

/** @throws Error if the server at the port does not */
export async function acceptsConnections(port) {
  const args = ['-h', '127.0.0.1', '-p', String(port), '-U', 'varve', '-q', '-t', '2']
  await promisify(execFile)(join(postgresPrograms(), 'pg_isready'), args)
  return true
}

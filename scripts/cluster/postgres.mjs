/** PostgreSQL, from Debian or from the path, as the database of a cluster. */
import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** It refuses to run as root. */
const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

export function postgresMember({ dir, ports, password }) {
  const home = join(dir, 'postgres')
  const data = join(home, 'data')
  const programs = programsOf()
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
    async ready() {
      const args = ['-h', '127.0.0.1', '-p', String(ports.postgres), '-U', 'varve', '-q']
      execFileSync(join(programs, 'pg_isready'), args, { stdio: 'ignore' })
      return true
    },
  }
}

function programsOf() {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : []
  const folders = [...versions.map((version) => join(debian, version, 'bin')), ...(process.env.PATH ?? '').split(':')]
  const found = folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')))
  if (found === undefined) throw new Error('PostgreSQL is not installed: on Debian, apt-get install postgresql.')
  return found
}

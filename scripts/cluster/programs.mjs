/** Where the programs of PostgreSQL are, and the user that runs databases. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** PostgreSQL refuses to run as root. */
export const databaseUser = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

const path = () => (process.env.PATH ?? '').split(':')

/** The folder of Debian's newest version, or the one of the path. */
export function postgresPrograms() {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : []
  const folders = [...versions.map((version) => join(debian, version, 'bin')), ...path()]
  const found = folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')))
  if (found === undefined) throw new Error('PostgreSQL is not installed: on Debian, apt-get install postgresql.')
  return found
}

/** @throws Error with the package that has it */
export function programOf(name, debianPackage) {
  const found = findProgram(name)
  if (found === undefined) throw new Error(`${name} is not installed: on Debian, apt-get install ${debianPackage}.`)
  return found
}

const findProgram = (name) =>
  [...path(), '/usr/sbin'].map((folder) => join(folder, name)).find((program) => existsSync(program))

/** Which of the programs of a replicated database are missing. */
export const missingForReplication = () =>
  ['patroni', 'etcd', 'haproxy'].filter((name) => findProgram(name) === undefined)

/**
 * Rivals from a file that a user wrote. Rivals that are not installed on this machine are reported separately, not
 * refused.
 */
import { existsSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { benchCredentials, type Credentials } from '../basics/credentials.ts'
import { fieldsOf, parseJson, wrong } from '../basics/json-fields.ts'
import type { Rival } from './rival.ts'

export interface FoundRivals {
  readonly rivals: readonly Rival[]
  /** Names, with what each one lacks on this machine. */
  readonly absent: readonly { readonly name: string; readonly missing: string }[]
}

const known = ['name', 'about', 'command', 'env', 'files', 'credentials', 'module', 'needs', 'lacks']

/** `path` is that of the file: relative paths in it start from its directory. @throws UsageError with the mistake */
export function parseRivals(path: string, text: string): FoundRivals {
  const value = parseJson(path, text)
  if (!Array.isArray(value)) throw wrong(path, 'is no list of rivals')
  const here = dirname(resolve(path))
  const rivals: Rival[] = []
  const absent: { name: string; missing: string }[] = []
  for (const [i, item] of (value as unknown[]).entries()) {
    const { rival, needs } = rivalOf(`${path}: rival ${i + 1}`, item, here)
    if ([...rivals, ...absent].some(({ name }) => name === rival.name)) throw wrong(path, `names ${rival.name} twice`)
    const missing = needs.find((need) => !isThere(need, here))
    if (missing === undefined) rivals.push(rival)
    else absent.push({ name: rival.name, missing })
  }
  return { rivals, absent }
}

function rivalOf(where: string, value: unknown, here: string): { rival: Rival; needs: readonly string[] } {
  const fields = fieldsOf(where, value)
  const odd = Object.keys(fields).find((name) => !known.includes(name))
  if (odd !== undefined) throw wrong(where, `has a field ${odd}, which is none of ${known.join(', ')}`)
  const common = {
    name: nameOf(where, fields['name']),
    about: textOf(where, 'about', fields['about']),
    lacks: textsOf(where, 'lacks', fields['lacks']),
  }
  const { module, command, needs } = fields
  if ((module === undefined) === (command === undefined)) throw wrong(where, 'has either a command or a module')
  if (module !== undefined) {
    const file = textOf(where, 'module', module)
    const rival = { kind: 'module', ...common, module: pathToFileURL(resolve(here, file)).href } as const
    return { rival, needs: needs === undefined ? [`./${file}`] : listOf(where, 'needs', needs) }
  }
  const [program, ...args] = listOf(where, 'command', command).map((part) => part.replaceAll('{here}', here))
  if (program === undefined) throw wrong(where, 'has an empty command')
  const rival = {
    kind: 'server',
    ...common,
    command: [program, ...args],
    env: textsOf(where, 'env', fields['env']),
    files: textsOf(where, 'files', fields['files']),
    credentials: credentialsOf(where, fields['credentials']),
  } as const
  // Only Linux reports the resources that another process uses.
  return { rival, needs: ['/proc/self/stat', ...(needs === undefined ? [program] : listOf(where, 'needs', needs))] }
}

/** Checks a variable of the environment (`$NAME`), a path relative to the file of rivals, or the name of a program. */
function isThere(need: string, here: string): boolean {
  if (need.startsWith('$')) return (process.env[need.slice(1)] ?? '') !== ''
  if (/[\\/]/.test(need)) return existsSync(resolve(here, need))
  const directories = (process.env['PATH'] ?? '').split(delimiter)
  return directories.some((directory) => existsSync(join(directory, need)))
}

function credentialsOf(where: string, value: unknown): Credentials {
  const given = textsOf(where, 'credentials', value)
  const odd = Object.keys(given).find((name) => !Object.hasOwn(benchCredentials, name))
  if (odd !== undefined) throw wrong(where, `has credentials with ${odd}`)
  return { ...benchCredentials, ...given }
}

function nameOf(where: string, value: unknown): string {
  if (typeof value === 'string' && /^[\w][\w.+@-]{0,63}$/.test(value)) return value
  throw wrong(where, 'has no name of up to 64 letters, digits, dots, hyphens and underscores')
}

function textOf(where: string, field: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value
  throw wrong(where, `has no text as ${field}`)
}

function listOf(where: string, field: string, value: unknown): string[] {
  if (Array.isArray(value)) return value.map((item: unknown) => textOf(where, field, item))
  throw wrong(where, `has no list as ${field}`)
}

function textsOf(where: string, field: string, value: unknown = {}): Record<string, string> {
  const entries = Object.entries(fieldsOf(`${where}, ${field},`, value))
  return Object.fromEntries(entries.map(([name, text]) => [name, textOf(where, `${field}.${name}`, text)]))
}

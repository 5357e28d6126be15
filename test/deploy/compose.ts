/** A compose file as Docker Compose reads it: variables are put in, and one that must be given is refused without a value. */
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

export interface Service {
  readonly build?: {
    readonly context: string
    readonly dockerfile: string
    readonly args?: Readonly<Record<string, string>>
  }
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
}

type Variables = Readonly<Record<string, string>>

const withVariables = (text: string, variables: Variables): string =>
  text.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, form?: string, rest = '') => {
    const value = variables[name] ?? ''
    if (value === '' && form === '?') throw new Error(`${name}: ${rest}`)
    return value === '' && form === '-' ? rest : value
  })

/** Values get their variables after the file is parsed, so that no value changes the file. */
function filled(value: unknown, variables: Variables): unknown {
  if (typeof value === 'string') return withVariables(value, variables)
  if (Array.isArray(value)) return value.map((each) => filled(each, variables))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, filled(each, variables)]))
}

/** The services of a file. @throws Error if a variable has no value that the file demands */
export function servicesOf(path: string, variables: Variables): Readonly<Record<string, Service>> {
  const file = parse(readFileSync(path, 'utf8'), { merge: true }) as { readonly services: unknown }
  return filled(file.services, variables) as Readonly<Record<string, Service>>
}

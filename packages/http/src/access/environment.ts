import { schema, StorageError } from '@varve/core'
import { parseIdentity } from './identities.ts'
import type { Identity } from './identity.ts'

/** The names of the environment variables that are read. */
export const environmentNames = {
  accessKeyId: 'VARVE_ACCESS_KEY_ID',
  secretAccessKey: 'VARVE_SECRET_ACCESS_KEY',
} as const

type Credentials = { readonly [K in keyof typeof environmentNames]?: string }

const text = schema.text()

/** Reads nothing else of the environment. The environment of the process is not a plain object. */
const credentials: schema.Schema<Credentials> = {
  read(env) {
    if (typeof env !== 'object' || env === null) throw schema.Mismatch.wrongType('an environment', env)
    const found: { -readonly [K in keyof Credentials]: Credentials[K] } = {}
    for (const field of ['accessKeyId', 'secretAccessKey'] as const) {
      const name = environmentNames[field]
      try {
        const value = (env as Readonly<Record<string, unknown>>)[name]
        if (value !== undefined && value !== '') found[field] = text.read(value)
      } catch (error) {
        throw schema.Mismatch.within(name, error)
      }
    }
    return found
  },
  accepts: () => false,
}

/**
 * The root identity that an environment names, if any. It has the same name, and so the same id, as the one from
 * `ensureRootCredentials`: what one owns the other owns. An empty variable counts as unset.
 * @throws InvalidArgument if the argument is not an environment, if only one of the two variables is set, or if a value
 * is too short, too long or has invalid characters
 */
export function identitiesFromEnvironment(env: Readonly<Record<string, string | undefined>>): readonly Identity[] {
  const { accessKeyId, secretAccessKey } = schema.checked('env', credentials, env)
  if (accessKeyId === undefined && secretAccessKey === undefined) return []
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    const { accessKeyId: id, secretAccessKey: secret } = environmentNames
    throw new StorageError('InvalidArgument', `Of ${id} and ${secret} only one is set; set both or neither.`)
  }
  return [parseIdentity({ name: 'root', accessKeyId, secretAccessKey, root: true }, 'environment')]
}

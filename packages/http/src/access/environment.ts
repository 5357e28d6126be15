import { schema, StorageError } from '@varve/core'
import { parseIdentity } from './identities.ts'
import type { Identity } from './identity.ts'

/** The variables that are read. */
export const environmentNames = {
  accessKeyId: 'VARVE_ACCESS_KEY_ID',
  secretAccessKey: 'VARVE_SECRET_ACCESS_KEY',
} as const

type Credentials = { readonly [K in keyof typeof environmentNames]?: string }

const text = schema.text()

/** Of an environment nothing else is read. That of the process is no plain object. */
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
 * The root identity an environment names, if any. It has the name, and so the id, that `ensureRootCredentials` gives: what one
 * owns the other owns. An empty variable counts as unset.
 * @throws InvalidArgument for what is no environment, when only one of the two is set, or a value is too short, too long or has odd characters
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

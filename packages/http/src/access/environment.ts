import { StorageError } from '@varve/core'
import { parseIdentity } from './identities.ts'
import type { Identity } from './identity.ts'

/** The variables that are read. */
export const environmentNames = {
  accessKeyId: 'VARVE_ACCESS_KEY_ID',
  secretAccessKey: 'VARVE_SECRET_ACCESS_KEY',
} as const

/**
 * The root identity an environment names, if any. It has the name, and so the id, that `ensureRootCredentials` gives: what one
 * owns the other owns. An empty variable counts as unset.
 * @throws InvalidArgument when only one of the two is set, or a value is too short, too long or has odd characters
 */
export function identitiesFromEnvironment(env: Readonly<Record<string, string | undefined>>): readonly Identity[] {
  const accessKeyId = env[environmentNames.accessKeyId] || undefined
  const secretAccessKey = env[environmentNames.secretAccessKey] || undefined
  if (accessKeyId === undefined && secretAccessKey === undefined) return []
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    const { accessKeyId: id, secretAccessKey: secret } = environmentNames
    throw new StorageError('InvalidArgument', `Of ${id} and ${secret} only one is set; set both or neither.`)
  }
  return [parseIdentity({ name: 'root', accessKeyId, secretAccessKey, root: true }, 'environment')]
}

/** The root of the server that would serve a directory, for commands that open the store themselves. */
import { join } from 'node:path'
import { type Actor, isStorageError } from '@varve/core'
import { combineIdentities, type Identity, identitiesFromEnvironment, rootAmong } from '@varve/http'
import { loadIdentityFile } from './identity-file.ts'

/** The key pair that the first start makes. */
export const rootCredentialsName = 'root-credentials.json'

/** Identities from the file and the environment; empty without either. @throws StorageError `InvalidArgument` */
export async function configuredIdentities(
  file: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<readonly Identity[]> {
  const fromFile = file === undefined ? [] : await loadIdentityFile(file)
  return combineIdentities(fromFile, identitiesFromEnvironment(env))
}

/**
 * The root of the identities that the environment names, otherwise of the key pair that a server has stored in the directory.
 * `undefined` if there is none, or what is there cannot be used: a server says why, and other commands do not need it.
 */
export async function rootActorOf(dir: string, env: NodeJS.ProcessEnv): Promise<Actor | undefined> {
  try {
    const file = env['VARVE_IDENTITIES']
    const configured = await configuredIdentities(file === '' ? undefined : file, env)
    return rootAmong(configured.length > 0 ? configured : await loadIdentityFile(join(dir, rootCredentialsName)))
  } catch (error) {
    if (isStorageError(error, 'InvalidArgument')) return undefined
    throw error
  }
}

/** The identities of a served store: the configured ones, otherwise a root key pair of the store. */
import { join } from 'node:path'
import { combineIdentities, type Identity, identitiesFromEnvironment } from '@varve/http'
import { loadIdentityFile } from '../../identities/identity-file.ts'
import { ensureRootCredentials } from '../../identities/root-credentials.ts'

/** From the file and the environment; empty when neither is there. @throws StorageError `InvalidArgument` */
export async function configuredIdentities(
  file: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<readonly Identity[]> {
  const fromFile = file === undefined ? [] : await loadIdentityFile(file)
  return combineIdentities(fromFile, identitiesFromEnvironment(env))
}

export interface RootPair {
  readonly identity: Identity
  readonly file: string
  /** Made just now: the one moment to show the secret. */
  readonly created: boolean
}

export async function rootPairOf(dir: string): Promise<RootPair> {
  const file = join(dir, 'root-credentials.json')
  return { ...(await ensureRootCredentials(file)), file }
}

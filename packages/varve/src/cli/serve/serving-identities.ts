/** The identities of a served store: the configured ones, otherwise the root key pair of the store. */
import { join } from 'node:path'
import { combineIdentities, type Identity, identitiesFromEnvironment } from '@varve/http'
import { loadIdentityFile } from '../../identities/identity-file.ts'
import { ensureRootCredentials } from '../../identities/root-credentials.ts'

/** Identities from the file and the environment; empty without either. @throws StorageError `InvalidArgument` */
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
  /** True when the key pair was just created: the only time to show its secret. */
  readonly created: boolean
}

export async function rootPairOf(dir: string): Promise<RootPair> {
  const file = join(dir, 'root-credentials.json')
  return { ...(await ensureRootCredentials(file)), file }
}

/** What a served store encrypts with: keys that are configured, else those of the store's own keyring. */
import type { OpenStoreOptions } from '../../store/store-options.ts'
import { createKeyring } from '../../keyring/create-keyring.ts'
import { configuredKeys } from '../../keyring/configured-keys.ts'
import type { KeyMaterial } from '../../keyring/key-material.ts'
import { ensureOwnKeys } from '../../keyring/own-keyring.ts'

export interface ServingKeys {
  /** To open the store with. */
  readonly keyring: Exclude<OpenStoreOptions['keyring'], undefined>
  /** For others that answer requests for the store in a directory, once it is open. */
  material(dir: string): Promise<KeyMaterial>
}

/** @throws StorageError `InvalidArgument` */
export async function servingKeys(file: string | undefined, env: NodeJS.ProcessEnv): Promise<ServingKeys> {
  const material = await configuredKeys(file, env)
  if (material === undefined) return { keyring: 'own', material: ensureOwnKeys }
  return { keyring: createKeyring(material), material: async () => material }
}

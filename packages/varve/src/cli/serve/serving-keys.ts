/** The keys of a served store: the configured keys, otherwise those of the store's own keyring. */
import type { OpenStoreOptions } from '../../store/store-options.ts'
import { createKeyring } from '../../keyring/create-keyring.ts'
import { configuredKeys } from '../../keyring/configured-keys.ts'
import type { KeyMaterial } from '../../keyring/key-material.ts'
import { ensureOwnKeys } from '../../keyring/own-keyring.ts'

export interface ServingKeys {
  /** The keyring to open the store with. */
  readonly keyring: Exclude<OpenStoreOptions['keyring'], undefined>
  /** Base64 of the master keys that were configured, the newest first. */
  readonly masterKeys: readonly string[]
  /** The keys of an open store, for workers that answer its requests. */
  material(dir: string): Promise<KeyMaterial>
}

/** @throws StorageError `InvalidArgument` */
export async function servingKeys(file: string | undefined, env: NodeJS.ProcessEnv): Promise<ServingKeys> {
  const material = await configuredKeys(file, env)
  if (material === undefined) return { keyring: 'own', masterKeys: [], material: ensureOwnKeys }
  return { keyring: createKeyring(material), masterKeys: material.master, material: async () => material }
}

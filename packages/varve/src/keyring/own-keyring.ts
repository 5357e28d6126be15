/** The keyring in a store's own directory. A server without another keyring creates it. */
import { join } from 'node:path'
import { assertOwnLinks } from '@varve/adapters'
import { createKeyringFile, findKeyringFile, loadKeyringFile, newKey } from './keyring-file.ts'
import type { KeyMaterial } from './key-material.ts'

const ownKeyringFile = (dir: string): string => join(dir, 'keyring.json')

/** The keys of a store whose directory is open: opening has checked the links in it. */
export const ownKeysOfOpen = (dir: string): Promise<KeyMaterial | undefined> => findKeyringFile(ownKeyringFile(dir))

/** Runs before the store is opened, so it checks the links in the directory as opening does. */
export async function findOwnKeys(dir: string): Promise<KeyMaterial | undefined> {
  await assertOwnLinks(dir)
  return ownKeysOfOpen(dir)
}

/** Copies the keys to the directory of another store that has no keyring. */
export async function bringOwnKeys(dir: string, keys: KeyMaterial): Promise<void> {
  await createKeyringFile(ownKeyringFile(dir), keys)
}

/** Creates the keyring if there is none. If several processes do so at once, all get the same keys. */
export async function ensureOwnKeys(dir: string): Promise<KeyMaterial> {
  const found = await findOwnKeys(dir)
  if (found !== undefined) return found
  await createKeyringFile(ownKeyringFile(dir), { master: [newKey()], keys: {} })
  return loadKeyringFile(ownKeyringFile(dir))
}

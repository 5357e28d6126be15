/** The keyring that lies in a store's own directory: made there by a server that was given no other. */
import { join } from 'node:path'
import { createKeyringFile, findKeyringFile, loadKeyringFile, newKey } from './keyring-file.ts'
import type { KeyMaterial } from './key-material.ts'

const ownKeyringFile = (dir: string): string => join(dir, 'keyring.json')

export const findOwnKeys = (dir: string): Promise<KeyMaterial | undefined> => findKeyringFile(ownKeyringFile(dir))

/** Into the directory of another store, where there is none. */
export async function bringOwnKeys(dir: string, keys: KeyMaterial): Promise<void> {
  await createKeyringFile(ownKeyringFile(dir), keys)
}

/** Of several at once one makes it, and all get the same. */
export async function ensureOwnKeys(dir: string): Promise<KeyMaterial> {
  const found = await findOwnKeys(dir)
  if (found !== undefined) return found
  await createKeyringFile(ownKeyringFile(dir), { master: [newKey()], keys: {} })
  return loadKeyringFile(ownKeyringFile(dir))
}

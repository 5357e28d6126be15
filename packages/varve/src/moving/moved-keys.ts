/** The keys of a store that is moved: those in a directory stay there, and nodes have none of their own. */
import { join } from 'node:path'
import { StorageError } from '@varve/core'
import type { KeyMaterial } from '../keyring/key-material.ts'
import { bringOwnKeys, findOwnKeys } from '../keyring/own-keyring.ts'

/**
 * Without the keys of the directory, nothing could decrypt its objects at the addresses.
 * @throws StorageError `InvalidArgument` if the given keys are not all that the directory has
 */
export async function assertKeysGiven(dir: string, given: KeyMaterial | undefined): Promise<void> {
  const own = await findOwnKeys(dir)
  if (own === undefined || own.master.every((key) => given?.master.includes(key))) return
  const message = 'The store has a keyring of its own, which its nodes need.'
  const hint = `Name it here and there, with \`--keyring ${join(dir, 'keyring.json')}\`.`
  throw new StorageError('InvalidArgument', message, { details: { ArgumentName: 'keyring' }, hint })
}

/** The new directory gets the keys of the nodes, so that it can be served as others are. */
export async function bringKeys(dir: string, given: KeyMaterial | undefined): Promise<void> {
  if (given !== undefined && (await findOwnKeys(dir)) === undefined) await bringOwnKeys(dir, given)
}

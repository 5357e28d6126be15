import type { Keyring } from '@varve/core'
import type { Filling } from './filling.ts'
import { readFillingNote } from './filling-note.ts'

/** `keyring`: has the keys of replicas that are encrypted. `undefined` for a store that has all its blobs. @throws StorageError `InvalidArgument` for a note that cannot be read */
export async function findFilling(dir: string, keyring?: Keyring): Promise<Filling | undefined> {
  const note = await readFillingNote(dir)
  if (note === undefined) return undefined
  const { Filling } = await import('./filling.ts')
  return new Filling(dir, note, keyring)
}

import type { BlobStore, Keyring } from '@varve/core'
import type { Filling } from './filling.ts'
import { readFillingNote } from './filling-note.ts'

/**
 * `undefined` for a store that has all its blobs. Nothing is opened before a blob is wanted.
 * @param keyring Has the keys of replicas that are encrypted.
 * @throws StorageError `InvalidArgument` for a note that cannot be read
 */
export async function findFilling(dir: string, keyring?: Keyring): Promise<Filling | undefined> {
  const note = await readFillingNote(dir)
  if (note === undefined) return undefined
  const { Filling } = await import('./filling.ts')
  return new Filling(dir, note, keyring)
}

/**
 * The parts of a store in `dir`, whose missing blobs are read where they still are. Closing them closes both.
 * @throws as `findFilling`, and has closed the parts then
 */
export async function withFilling<P extends { readonly blobs: BlobStore; close(): Promise<void> }>(
  dir: string,
  parts: P,
  keyring?: Keyring,
): Promise<P> {
  try {
    const filling = await findFilling(dir, keyring)
    if (filling === undefined) return parts
    return {
      ...parts,
      blobs: filling.over(parts.blobs),
      async close() {
        await filling.close()
        await parts.close()
      },
    }
  } catch (error) {
    await parts.close().catch(() => undefined)
    throw error
  }
}

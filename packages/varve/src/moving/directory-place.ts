import {
  type LayoutName,
  nodeHashing,
  openReadOnlyDirectory,
  openStoreDirectory,
  type StoreDirectory,
} from '@varve/adapters'
import { isStorageError, type Keyring, type MoveSource, openForMaintenance, tipAt } from '@varve/core'
import { foundSecret, placeSecret } from '../files/store-secret.ts'
import { withFilling } from '../replicas/find-filling.ts'
import { portsOf } from '../store/ports-of.ts'
import type { Place } from './place.ts'

/** How a directory is opened. */
interface DirectoryOptions {
  /** That of a new store. @default `level+files` */
  readonly layout?: LayoutName | undefined
  /** A directory whose blobs become links. @default none */
  readonly linkBlobsFrom?: string
  /** Of a source: has the keys of an encrypted replica that has blobs of it still. */
  readonly keyring?: Keyring
}

/** A directory that is open elsewhere is read as it is now, and cannot be left. */
export function directoryPlace(path: string, { keyring, ...options }: DirectoryOptions = {}): Place {
  const openTarget = async () => {
    const directory = await openStoreDirectory(path, options)
    const { journal, blobs, witness } = directory
    const hashing = await nodeHashing()
    return {
      name: path,
      journal,
      blobs,
      bringSecret: (secret: Uint8Array) => placeSecret(path, secret),
      /** The log was checked here, so the first opening need not read all of it. */
      async markReady() {
        const head = await journal.head()
        if (head > 0) await witness.write(await tipAt({ journal, hashing }, head))
        await directory.markReady()
        directory.markSound()
      },
      close: () => directory.close(),
    }
  }
  return { name: path, openSource: () => openSource(path, keyring), openTarget }
}

async function openSource(
  path: string,
  keyring: Keyring | undefined,
): Promise<MoveSource & { close(): Promise<void> }> {
  try {
    const directory = await openStoreDirectory(path, { create: false })
    try {
      await checkEnd(path, directory)
    } catch (error) {
      await directory.close().catch(() => undefined)
      throw error
    }
    return await sourceOf(path, directory, keyring)
  } catch (error) {
    if (!isStorageError(error, 'StoreLocked')) throw error
    return { ...(await sourceOf(path, await openReadOnlyDirectory(path), keyring)), isCopy: true }
  }
}

async function sourceOf(
  path: string,
  directory: Pick<StoreDirectory, 'journal' | 'blobs' | 'close'>,
  keyring: Keyring | undefined,
) {
  const { journal, blobs } = directory
  const parts = await withFilling(path, { journal, blobs, close: () => directory.close() }, keyring)
  return { name: path, secret: foundSecret(path), ...parts }
}

/** As every opening does; the log of a store that has left was checked before. */
async function checkEnd(path: string, directory: StoreDirectory): Promise<void> {
  const { sealed, replayedFrom } = directory
  try {
    const store = await openForMaintenance(await portsOf(path, directory, { hashingThreads: 0 }), {
      sealed,
      replayedFrom,
    })
    await store.close()
    directory.markSound()
  } catch (error) {
    if (!isStorageError(error, 'StoreNotFound') || error.details['kind'] !== 'departed') throw error
  }
}

/** Ends a move that was interrupted between leaving the directory and opening the place where the store went. */
import { nodeHashing } from '@varve/adapters'
import { isStorageError, passageOf } from '@varve/core'
import { openPartsAt } from '../parts/open-at-addresses.ts'
import { addressPair, type AddressPair, addressPlace } from './address-place.ts'
import { directoryPlace } from './directory-place.ts'
import { moveStore } from './move-store.ts'

/**
 * `error`: why the directory cannot be opened. Nothing is done unless its store went to addresses. What was moved whole
 * stays as it is.
 * @throws as `moveStore`
 */
export async function endMove(dir: string, error: unknown): Promise<void> {
  if (!isStorageError(error, 'StoreNotFound') || error.details['kind'] !== 'departed') return
  const pair = addressPair(String(error.details['peer']))
  if (pair !== undefined && (await isArriving(pair)))
    await moveStore({ from: directoryPlace(dir), to: addressPlace(pair) })
}

async function isArriving(pair: AddressPair): Promise<boolean> {
  const { journal, close } = await openPartsAt(pair, { create: false })
  try {
    return (await passageOf({ journal, hashing: await nodeHashing() }))?.state === 'arriving'
  } finally {
    await close()
  }
}
